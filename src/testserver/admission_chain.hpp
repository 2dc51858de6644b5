// The admission webhooks of all configurations: which are called for a write, in which order, and what they return.
#pragma once

#include <kcontrol/runtime/environment.hpp>

#include "testserver/admission_hooks.hpp"
#include "testserver/object_store.hpp"
#include "testserver/version_converter.hpp"
#include "testserver/webhook_caller.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing::detail {

/// Starts a coroutine that nothing waits for; the server lives as long as it runs.
using task_spawner = std::function<void(awaitable<void>)>;

struct parallel_calls;

/// Calls the webhooks of the configurations that are stored. Touched on the server's executor only.
class admission_chain {
public:
    /// All five outlive it.
    admission_chain(environment& env, const object_store& store, version_converter& converter, webhook_caller& webhooks,
                    const task_spawner& spawn)
        : env_(env), store_(store), converter_(converter), webhooks_(webhooks), spawn_(spawn) {}

    bool mutates() { return !configured_hooks(true)->empty(); }     ///< there are mutating webhooks, for whatever
    bool validates() { return !configured_hooks(false)->empty(); }  ///< there are validating webhooks, for whatever

    /// Lets webhooks change the object; true if one did.
    awaitable<outcome<bool>> mutate(const admission_attributes& about, const resource_type& type, json::value& object,
                                    const json::value& old, std::vector<std::string>& warnings);
    /// Calls all validating webhooks at once.
    awaitable<outcome<void>> validate(const admission_attributes& about, const resource_type& type,
                                      const json::value& object, const json::value& old,
                                      std::vector<std::string>& warnings);

private:
    using hook_list = std::shared_ptr<const std::vector<admission_hook>>;
    class hook_call;

    hook_list configured_hooks(bool mutating);
    awaitable<outcome<bool>> prepare_call(hook_call& call);
    awaitable<outcome<bool>> call_hook(hook_call& call);
    awaitable<void> call_among_others(hook_call& call, std::shared_ptr<parallel_calls> all);
    bool selects(const admission_hook& hook, const admission_attributes& about, const json::value& object,
                 const json::value& old) const;

    environment& env_;
    const object_store& store_;
    version_converter& converter_;
    webhook_caller& webhooks_;
    const task_spawner& spawn_;
    hook_list hooks_[2];                       // validating, mutating
    std::vector<object_ptr> hooks_are_of_[2];  // the configurations that they were read from
    text_checks condition_texts_;
};

}  // namespace kcontrol::testing::detail

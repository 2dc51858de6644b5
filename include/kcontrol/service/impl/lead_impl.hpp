// What a lead is made of.
#pragma once

#include <kcontrol/runtime/guarded_calls.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/service/detail/label_keeper.hpp>
#include <kcontrol/service/lead.hpp>

#include <memory>
#include <optional>

namespace kcontrol::inline v0_1::service {

struct lead::impl : std::enable_shared_from_this<impl> {
    impl(environment& e, executor x, lead_options o, lead_callbacks cb, logger l);

    void begin(client cl);  // makes the elector; only a shared object can be its callbacks' target
    result<void> start(std::stop_token parent);
    static awaitable<bool> stop(std::shared_ptr<impl> self, duration drain);
    static awaitable<void> stop_with(std::shared_ptr<impl> self, std::stop_token parent, std::stop_token lifetime);

    leader_callbacks callbacks_of();
    static awaitable<void> term(std::weak_ptr<impl> weak, std::stop_token stop);
    static awaitable<void> end_label(std::shared_ptr<impl> self, std::stop_token stop);
    void ended();

    environment& env;
    const executor ex;
    const lead_options options;
    const lead_callbacks callbacks;
    const logger log;
    std::shared_ptr<guarded_calls> calls;
    task_group tasks;
    std::optional<leader_elector> elector;
    std::shared_ptr<detail::label_keeper> label;  // null: none
    scope lifetime;                               // from a start to the end of its stop
    async_event changed;                          // a term has begun or ended, or all is over
    bool stopping = false;                        // stop() has yet to end
    bool leading = false;                         // and the callback was told so
    std::uint64_t token = 0;                      // of the term that was told last
    bool gone = false;                            // its lead has been destroyed
};

}  // namespace kcontrol::service

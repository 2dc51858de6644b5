// Source: k8s.io/apiserver, pkg/admission/plugin/webhook.
#include "testserver/admission_chain.hpp"

#include <kcontrol/documents/patch.hpp>
#include <kcontrol/runtime/random_uuid.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "testserver/admission_review.hpp"
#include "testserver/failure_parts.hpp"
#include "testserver/json_values.hpp"

#include <algorithm>
#include <set>

namespace kcontrol::inline v0_1::testing::detail {

/// One webhook that is to be asked about one request.
class admission_chain::hook_call {
public:
    hook_call(const admission_hook& h, const admission_attributes& a, const resource_type& t, json::value o,
              json::value before)
        : hook(h), about(a), type(t), object(std::move(o)), old(std::move(before)) {}

    const admission_hook& hook;
    const admission_attributes& about;
    const resource_type& type;
    json::value object, old;  ///< in the version that the webhook sees
    std::string version;
    bool changed = false;
    std::vector<std::string> warnings;
};

// The webhooks of all configurations, by the configurations' names.
admission_chain::hook_list admission_chain::configured_hooks(bool mutating) {
    const auto table = store_.table({"admissionregistration.k8s.io",
                                     mutating ? "mutatingwebhookconfigurations" : "validatingwebhookconfigurations"});
    std::vector<object_ptr> now;
    if (table != nullptr) {
        for (const auto& [key, object] : table->objects()) now.push_back(object);
    }
    hook_list& list = hooks_[mutating ? 1 : 0];
    auto& of = hooks_are_of_[mutating ? 1 : 0];
    if (list != nullptr && of == now) return list;
    auto made = std::make_shared<std::vector<admission_hook>>();
    for (const auto& object : now) {
        for (auto& hook : read_admission_hooks(object->value(table->type(), "admissionregistration.k8s.io/v1"))) {
            made->push_back(std::move(hook));
        }
    }
    of = std::move(now);
    list = std::move(made);
    return list;
}

bool admission_chain::selects(const admission_hook& hook, const admission_attributes& about, const json::value& object,
                              const json::value& old) const {
    if (!hook.namespace_selector.is_null()) {
        std::map<std::string, std::string> labels;
        if (about.resource == namespaces_id() && about.subresource.empty() && !object.is_null()) {
            labels = labels_of(object);
        } else if (!about.namespace_.empty()) {
            const auto namespaces = store_.table(namespaces_id());
            const object_ptr found = namespaces == nullptr ? nullptr : namespaces->get({"", about.namespace_});
            if (found != nullptr) labels = found->labels();
        }
        const bool concerned = !about.namespace_.empty() || about.resource == namespaces_id();
        if (concerned && !selects_labels(hook.namespace_selector, labels)) return false;
    }
    if (hook.object_selector.is_null()) return true;
    return (!object.is_null() && selects_labels(hook.object_selector, labels_of(object))) ||
           (!old.is_null() && selects_labels(hook.object_selector, labels_of(old)));
}

// Whether the webhook is to be asked; then the call's objects are in the version that it sees.
awaitable<outcome<bool>> admission_chain::prepare_call(hook_call& call) {
    const admission_hook& hook = call.hook;
    const auto version = hook.version_for(call.about, call.type.versions);
    if (!version || !selects(hook, call.about, call.object, call.old)) co_return false;
    call.version = *version;
    if (call.version != call.about.version && call.about.kind == call.type.kind) {
        for (json::value* one : {&call.object, &call.old}) {
            if (one->is_null()) continue;
            auto shown = co_await converter_.convert(call.type, std::move(*one), call.version);
            if (!shown) co_return internal_failure(shown.error().message);
            *one = std::move(*shown);
        }
    }
    cel::program::variables given;
    const json::value request =
        hook.conditions.empty() ? json::value() : admission_request(call.about, call.version, {});
    if (!hook.conditions.empty()) {
        given = {{"object", *cel::value::of(call.object, {})},
                 {"oldObject", *cel::value::of(call.old, {})},
                 {"request", *cel::value::of(request, {})}};
    }
    cel::evaluation_options how;
    how.patterns(condition_texts_);
    std::string problem;
    for (const auto& [text, condition] : hook.conditions) {
        const auto held = condition ? condition->evaluate(given, how) : cel::value_result(condition.error());
        if (held && held->get<bool>() != nullptr && !*held->get<bool>())
            co_return false;  // decides alone, even if others fail
        if (held) continue;
        if (!problem.empty()) problem += ", ";
        problem += "expression '" + text + "' resulted in error: " + held.error().message();
    }
    if (problem.empty()) co_return true;
    if (hook.ignores_failures) co_return false;
    co_return failure::forbidden(call.about.resource, call.about.name, problem);
}

// Asks the webhook, and takes its patch. False: it could not be asked, which its configuration passes over.
awaitable<outcome<bool>> admission_chain::call_hook(hook_call& call) {
    const admission_hook& hook = call.hook;
    if (call.about.dry_run && hook.side_effects == admission_hook::effects::some) {
        co_return failure::bad_request("admission webhook " + in_quotes(hook.name) + " does not support dry run");
    }
    const std::string uid = random_uuid(env_);
    std::string question =
        admission_review_body(hook, admission_request(call.about, call.version, uid), call.object, call.old);
    auto answer = co_await webhooks_.ask(hook.client, std::move(question), hook.timeout);
    std::string problem;
    admission_review_response said;
    if (!answer) {
        problem = answer.error().message();
        if (problem.rfind("could not get REST client", 0) != 0) problem = "failed to call webhook: " + problem;
    } else if (auto read = parse_admission_review(hook, uid, *answer)) {
        said = std::move(*read);
    } else {
        problem = read.error().message();
    }
    if (!problem.empty()) {
        if (hook.ignores_failures) co_return false;
        co_return internal_failure(failed_calling(hook.name, problem));
    }
    call.warnings = std::move(said.warnings);
    if (!said.allowed) co_return denied_by(hook.name, said.status);
    if (said.patch.empty()) co_return true;
    auto patch = json::parse(said.patch);
    if (!patch || !patch->is_array()) {
        problem = !patch ? patch.error().message()
                         : "json: cannot unmarshal " + std::string(json_type(*patch)) +
                               " into Go value of type jsonpatch.Patch";
        problem = "received undecodable patch in webhook response: " + problem;
    } else if (!patch->get_array().empty() && said.patch_type != "JSONPatch") {
        problem = "unsupported patch type " + go_quoted(said.patch_type);
    }
    if (!problem.empty()) {
        if (hook.ignores_failures) co_return false;
        co_return internal_failure(failed_calling(hook.name, problem));
    }
    if (patch->get_array().empty()) co_return true;
    if (call.object.is_null()) {
        co_return internal_failure("admission webhook " + in_quotes(hook.name) +
                                   " attempted to modify the object, which is not supported for this operation");
    }
    json::value changed = call.object;
    if (auto applied = json::apply_patch(changed, *patch); !applied) {
        co_return internal_failure(applied.error().message());
    }
    if (!changed.is_object()) co_return internal_failure("a patch has left no object");
    call.changed = !json::equal(changed, call.object);
    call.object = std::move(changed);
    co_return true;
}

awaitable<outcome<bool>> admission_chain::mutate(const admission_attributes& about, const resource_type& type,
                                                 json::value& object, const json::value& old,
                                                 std::vector<std::string>& warnings) {
    const hook_list hooks = configured_hooks(true);
    std::set<std::size_t> reinvocable, again;  // called already; to be called once more
    bool changed = false;
    for (const bool second_round : {false, true}) {
        for (std::size_t i = 0; i < hooks->size(); ++i) {
            if (second_round && !again.contains(i)) continue;
            const admission_hook& hook = (*hooks)[i];
            hook_call call(hook, about, type, object, old);
            const auto asked = co_await prepare_call(call);
            if (!asked) co_return asked.error();
            if (!*asked) continue;
            const auto called = co_await call_hook(call);
            for (auto& warning : call.warnings) warnings.push_back(std::move(warning));
            if (!called) co_return called.error();
            if (call.changed) {
                const bool other = call.version != about.version && about.kind == type.kind;
                if (other) {
                    auto back = co_await converter_.convert(type, std::move(call.object), about.version);
                    if (!back) co_return internal_failure(back.error().message);
                    call.object = std::move(*back);
                }
                object = std::move(call.object);
                changed = true;
                again.merge(reinvocable);
                reinvocable.clear();
            }
            if (hook.reinvoked) reinvocable.insert(i);
        }
    }
    co_return changed;
}

/// What is shared by the validating calls of one request.
struct parallel_calls {
    std::size_t running = 0;
    std::optional<failure> refused;  // the first in time
    async_event ended;
};

awaitable<void> admission_chain::call_among_others(hook_call& call, std::shared_ptr<parallel_calls> all) {
    const auto called = co_await call_hook(call);
    if (!called && !all->refused) all->refused = called.error();
    --all->running;
    all->ended.notify_all();
}

awaitable<outcome<void>> admission_chain::validate(const admission_attributes& about, const resource_type& type,
                                                   const json::value& object, const json::value& old,
                                                   std::vector<std::string>& warnings) {
    const hook_list hooks = configured_hooks(false);
    std::vector<std::unique_ptr<hook_call>> calls;
    for (const auto& hook : *hooks) {
        auto call = std::make_unique<hook_call>(hook, about, type, object, old);
        const auto asked = co_await prepare_call(*call);
        if (!asked) co_return asked.error();
        if (*asked) calls.push_back(std::move(call));
    }
    if (calls.empty()) co_return outcome<void>();
    const auto shared = std::make_shared<parallel_calls>();
    shared->running = calls.size();
    for (const auto& call : calls) spawn_(call_among_others(*call, shared));
    while (shared->running > 0) co_await shared->ended.wait(env_, std::stop_token());
    for (const auto& call : calls) {
        for (auto& warning : call->warnings) warnings.push_back(std::move(warning));
    }
    if (shared->refused) co_return *shared->refused;
    co_return outcome<void>();
}

}  // namespace kcontrol::testing::detail

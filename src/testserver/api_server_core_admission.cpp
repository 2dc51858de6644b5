// Writes that webhooks have a say in: who is asked, in which order, and what becomes of what they say.
// Source: k8s.io/apiserver, pkg/admission/plugin/webhook.
#include <kcontrol/documents/patch.hpp>
#include <kcontrol/runtime/random_uuid.hpp>

#include "testserver/admission_review.hpp"
#include "testserver/api_server_core.hpp"
#include "testserver/failure_parts.hpp"
#include "testserver/json_values.hpp"
#include "testserver/object_store.hpp"

#include <algorithm>
#include <set>

namespace kcontrol::inline v0_1::testing::detail {

/// One webhook that is to be asked about one request.
class api_server_core::hook_call {
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
api_server_core::hook_list api_server_core::admission_hooks(bool mutating) {
    const auto table = store.table({"admissionregistration.k8s.io",
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

bool api_server_core::selects(const admission_hook& hook, const admission_attributes& about, const json::value& object,
                              const json::value& old) const {
    if (!hook.namespace_selector.is_null()) {
        std::map<std::string, std::string> labels;
        if (about.resource == namespaces_id() && about.subresource.empty() && !object.is_null()) {
            labels = labels_of(object);
        } else if (!about.namespace_.empty()) {
            const auto namespaces = store.table(namespaces_id());
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
awaitable<outcome<bool>> api_server_core::prepare_call(hook_call& call) {
    const admission_hook& hook = call.hook;
    const auto version = hook.version_for(call.about, call.type.versions);
    if (!version || !selects(hook, call.about, call.object, call.old)) co_return false;
    call.version = *version;
    if (call.version != call.about.version && call.about.kind == call.type.kind) {
        for (json::value* one : {&call.object, &call.old}) {
            if (one->is_null()) continue;
            auto shown = co_await convert_one(call.type, std::move(*one), call.version);
            if (!shown) co_return internal_failure(shown.error().message);
            *one = std::move(*shown);
        }
    }
    cel_expression::variables given;
    if (!hook.conditions.empty()) {
        given.emplace_back("object", call.object);
        given.emplace_back("oldObject", call.old);
        given.emplace_back("request", admission_request(call.about, call.version, {}));
    }
    std::string problem;
    for (const auto& [text, condition] : hook.conditions) {
        const auto held =
            condition ? condition->evaluate(given, condition_texts_) : result<json::value>(condition.error());
        if (held && held->is_bool() && !held->get_bool()) co_return false;  // decides alone, even if others fail
        if (held) continue;
        if (!problem.empty()) problem += ", ";
        problem += "expression '" + text + "' resulted in error: " + held.error().message();
    }
    if (problem.empty()) co_return true;
    if (hook.ignores_failures) co_return false;
    co_return failure::forbidden(call.about.resource, call.about.name, problem);
}

// Asks the webhook, and takes its patch. False: it could not be asked, which its configuration passes over.
awaitable<outcome<bool>> api_server_core::call_hook(hook_call& call) {
    const admission_hook& hook = call.hook;
    if (call.about.dry_run && hook.side_effects == admission_hook::effects::some) {
        co_return failure::bad_request("admission webhook " + in_quotes(hook.name) + " does not support dry run");
    }
    const std::string uid = random_uuid(env);
    std::string question =
        admission_review_body(hook, admission_request(call.about, call.version, uid), call.object, call.old);
    auto answer =
        co_await webhooks_.ask(env, calls_on, hook.client, std::move(question), hook.timeout, closing.get_token());
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

awaitable<outcome<bool>> api_server_core::mutate(const admission_attributes& about, const resource_type& type,
                                                 json::value& object, const json::value& old,
                                                 std::vector<std::string>& warnings) {
    const hook_list hooks = admission_hooks(true);
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
                    auto back = co_await convert_one(type, std::move(call.object), about.version);
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

awaitable<void> api_server_core::call_among_others(std::shared_ptr<api_server_core> self, hook_call& call,
                                                   std::shared_ptr<parallel_calls> all) {
    const auto called = co_await self->call_hook(call);
    if (!called && !all->refused) all->refused = called.error();
    --all->running;
    all->ended.notify_all();
}

awaitable<outcome<void>> api_server_core::validate(const admission_attributes& about, const resource_type& type,
                                                   const json::value& object, const json::value& old,
                                                   std::vector<std::string>& warnings) {
    const hook_list hooks = admission_hooks(false);
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
    for (const auto& call : calls) spawn(call_among_others(shared_from_this(), *call, shared));
    while (shared->running > 0) co_await shared->ended.wait(env, std::stop_token());
    for (const auto& call : calls) {
        for (auto& warning : call->warnings) warnings.push_back(std::move(warning));
    }
    if (shared->refused) co_return *shared->refused;
    co_return outcome<void>();
}

awaitable<outcome<void>> api_server_core::admit_pending(const write_order& order, const admission_attributes& about,
                                                        pending_write& pending) {
    const resource_type& type = order.table->type();
    if (is_webhook_configuration(type.id()) || admission_hooks(true)->empty()) co_return outcome<void>();
    if (pending.creates()) {
        if (auto allowed = store.may_create(type, pending); !allowed) co_return allowed.error();
    }
    json::value whole = pending.whole(type);
    json::value old;
    if (!pending.creates()) old = pending.live->value(type, type.api_version(pending.target.version));
    json::value object = order.show ? order.show(whole) : whole;
    if (order.show && !old.is_null()) old = order.show(old);
    const auto changed = co_await mutate(about, type, object, old, *order.warnings);
    if (!changed) co_return changed.error();
    if (!*changed) co_return outcome<void>();
    if (!order.put_back) co_return store.take_admitted(type, pending, std::move(object.get_object()));
    order.put_back(whole, object);
    co_return store.take_admitted(type, pending, std::move(whole.get_object()));
}

awaitable<outcome<void>> api_server_core::validate_pending(const write_order& order, const admission_attributes& about,
                                                           const pending_write& pending) {
    const resource_type& type = order.table->type();
    if (is_webhook_configuration(type.id())) co_return outcome<void>();
    const hook_list hooks = admission_hooks(false);
    if (hooks->empty()) co_return outcome<void>();
    json::value object = pending.whole(type);
    json::value old;
    if (!pending.creates()) old = pending.live->value(type, type.api_version(pending.target.version));
    if (order.show) {
        object = order.show(object);
        if (!old.is_null()) old = order.show(old);
    }
    auto valid = co_await validate(about, type, object, old, *order.warnings);
    co_return valid;
}

// A write that somebody else's overtakes while webhooks are asked begins anew, as in etcd's transactions.
awaitable<outcome<write_result>> api_server_core::write(write_order order) {
    constexpr int attempts = 5;
    const resource_type& type = order.table->type();
    const bool converts = type.conversion != nullptr && type.serves(type.storage_version);
    for (int attempt = 0; attempt < attempts; ++attempt) {
        object_ptr live = order.table->get(order.key);
        const object_ptr stored = live;
        if (live != nullptr && converts) {
            auto shown = co_await shown_in(order.table, std::move(live), order.about.version);
            if (!shown) co_return shown.error();
            live = std::move(*shown);
            if (order.table->get(order.key) != stored) continue;
        }
        auto pending = order.begin(live);
        if (!pending) co_return pending.error();
        admission_attributes about = order.about;
        about.operation = pending->creates() ? "CREATE" : "UPDATE";
        about.options.as_object()["kind"] = pending->creates() ? "CreateOptions" : "UpdateOptions";
        if (about.name.empty()) about.name = member(metadata_of(pending->body), "name");
        if (about.resource == namespaces_id()) about.namespace_ = about.name;
        auto admitted = co_await admit_pending(order, about, *pending);
        if (!admitted) co_return admitted.error();
        if (auto prepared = store.prepare(*order.table, *pending); !prepared) co_return prepared.error();
        if (pending->creates()) about.name = member(metadata_of(pending->body), "name");
        auto valid = co_await validate_pending(order, about, *pending);
        if (!valid) co_return valid.error();
        if (converts && about.version != type.storage_version) {
            auto encoded = co_await convert_one(type, pending->whole(type), type.storage_version);
            if (!encoded) co_return encoded.error();
            json::object content = std::move(encoded->get_object());
            content.erase("apiVersion");
            content.erase("kind");
            pending->encoded = std::move(content);
        } else if (converts) {
            pending->encoded = pending->body;
        }
        if (order.table->removed()) co_return failure(0, "", "");
        if (!object_store::is_current(*order.table, *pending)) continue;
        write_result out;
        out.created = pending->creates();
        auto written = store.finish(*order.table, std::move(*pending), about.dry_run);
        if (!written) co_return written.error();
        if (!about.dry_run) crd_written(*order.table, *written);
        auto shown = co_await shown_in(order.table, std::move(*written), about.version);
        if (!shown) co_return shown.error();
        out.object = std::move(*shown);
        co_return out;
    }
    co_return failure::modified(type.id(), order.about.name);
}

awaitable<outcome<delete_result>> api_server_core::remove_admitted(const parsed_request& asked,
                                                                   object_store::table_ptr table, namespaced_name key,
                                                                   delete_request request,
                                                                   std::vector<std::string>& warnings) {
    const resource_type& type = table->type();
    object_ptr stored = table->get(key);
    const bool somebody_asks = !admission_hooks(true)->empty() || !admission_hooks(false)->empty();
    if (stored != nullptr && somebody_asks && !is_webhook_configuration(type.id())) {
        auto shown = co_await shown_in(table, std::move(stored), asked.info.version);
        if (!shown) co_return shown.error();
        admission_attributes about = attributes_of(asked, type);
        about.operation = "DELETE";
        about.dry_run = request.dry_run();
        if (about.resource == namespaces_id()) about.namespace_ = key.name;
        about.options = delete_options_of(asked.message);
        const json::value old = (*shown)->value(type, type.api_version(asked.info.version));
        json::value nothing;
        const auto changed = co_await mutate(about, type, nothing, old, warnings);
        if (!changed) co_return changed.error();
        auto valid = co_await validate(about, type, nothing, old, warnings);
        if (!valid) co_return valid.error();
    }
    auto removed = remove(*table, key, request);
    if (!removed) co_return removed.error();
    auto shown = co_await shown_in(table, std::move(removed->object), asked.info.version);
    if (!shown) co_return shown.error();
    removed->object = std::move(*shown);
    co_return removed;
}

}  // namespace kcontrol::testing::detail

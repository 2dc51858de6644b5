// The run of a registration: asks what its machine says, and tells it what the watch shows.
#pragma once

#include <kcontrol/client/retry_watcher.hpp>
#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/service/detail/own_pod.hpp>
#include <kcontrol/service/impl/registration_impl.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::service {

inline awaitable<void> registration::impl::run(std::shared_ptr<impl> self, std::shared_ptr<turn> mine,
                                               std::shared_ptr<turn> before) {
    while (before && !before->ended && !self->gone) co_await self->finished.wait(self->env, {});
    const std::stop_token stop = mine->lifetime.token();
    if (!stop.stop_requested()) self->tasks.spawn(watch(self, mine));
    while (!self->gone) {
        if (stop.stop_requested() && !std::exchange(mine->closing, true)) {
            mine->watching.stop();
            mine->machine.stop(self->env.now() + mine->limit);
        }
        const detail::registration_step step = mine->machine.next(self->env.now());
        if (step.finished) break;
        if (step.request == detail::registration_request::none) {
            const std::stop_token ending = mine->closing ? std::stop_token() : stop;
            co_await self->changed.wait(self->env, ending, step.until);
            continue;
        }
        const auto answer = co_await send(self, step, stop);
        if (step.request == detail::registration_request::find_pod) {
            self->owner = answer ? *answer : detail::registration_answer();
        }
        const auto epoch = mine->machine.epoch();
        mine->machine.answered(answer, self->env.now(), random_unit(self->env));
        // The server's store was restored to an older state, and the watch waits for versions of the future.
        if (mine->machine.epoch() != epoch && !mine->closing) mine->watching.rebuild();
        self->report(*mine);
        self->changed.notify_all();
        self->finished.notify_all();
    }
    mine->watching.stop();
    mine->ended = true;
    self->changed.notify_all();
    self->finished.notify_all();
}

inline awaitable<registration::impl::answer> registration::impl::send(std::shared_ptr<impl> self,
                                                                      detail::registration_step step,
                                                                      std::stop_token stop) {
    using request = detail::registration_request;
    if (step.request == request::resolve) return self->resolve(std::move(stop));
    if (step.request == request::find_pod) return self->find_pod(std::move(stop));
    if (step.request == request::apply) return self->apply(std::move(stop));
    return self->remove(*step.until - self->env.now());
}

inline awaitable<registration::impl::answer> registration::impl::resolve(std::stop_token stop) {
    client by = cl;
    const auto how = get_options().stop(std::move(stop));
    const auto served = co_await by.discover(gvk.group, gvk.version, how);
    if (!served) co_return served.error();
    for (const served_resource& one : *served) {
        if (one.gvk.kind != gvk.kind) continue;
        const auto scope = one.namespaced ? resource_scope::namespaced : resource_scope::cluster;
        kind.emplace(metadata_resource(gvk, one.plural, scope));
        co_return detail::registration_answer();
    }
    co_return error(errc::no_such_kind, "the server has no kind " + gvk.kind + " in " + gvk.api_version() +
                                            ": install its definition, or correct apiVersion and kind");
}

// Of its own namespace only: an owner in another one would have the object deleted.
inline awaitable<registration::impl::answer> registration::impl::find_pod(std::stop_token stop) {
    const std::string ns = key.namespace_.empty() ? cl.default_namespace() : key.namespace_;
    const std::string own = detail::own_namespace(env);
    const std::string name = options.pod().empty() ? detail::host_name(env) : options.pod();
    const bool possible = kind->namespaced() && !name.empty() && (own.empty() || own == ns);
    if (!possible) co_return detail::registration_answer();
    client by = cl;
    const namespaced_name pod(ns, name);
    const auto how = get_options().stop(std::move(stop));
    const auto found = co_await by.get(detail::pod_metadata(), pod, how);
    if (!found) co_return found.error();
    co_return detail::registration_answer(name, found->meta().uid.str(), found->meta().resource_version.str());
}

inline std::string registration::impl::applied_text() const {
    json::value body = object;
    if (owner.name.empty()) return json::serialize(body);
    json::object reference;
    reference["apiVersion"] = "v1";
    reference["kind"] = "Pod";
    reference["name"] = owner.name;
    reference["uid"] = owner.uid;
    json::value& owners = body.get_object()["metadata"].get_object()["ownerReferences"];
    if (!owners.is_array()) owners = json::array();
    owners.get_array().push_back(std::move(reference));
    return json::serialize(body);
}

inline awaitable<registration::impl::answer> registration::impl::apply(std::stop_token stop) {
    if (kind->namespaced() && key.namespace_.empty()) key.namespace_ = cl.default_namespace();
    client by = cl;
    const auto how = apply_options(options.field_manager()).force().stop(std::move(stop));
    const std::string text = applied_text();
    const auto applied = co_await by.apply(*kind, key, text, how);
    if (!applied) co_return applied.error();
    const object_meta& meta = applied->meta();
    co_return detail::registration_answer(key.name, meta.uid.str(), meta.resource_version.str());
}

inline awaitable<registration::impl::answer> registration::impl::remove(duration limit) {
    client by = cl;
    delete_options how;
    how.deadline(std::max<duration>(limit, std::chrono::milliseconds(1)));
    // Without a uid the answer of the only apply was lost.
    if (!present->machine.uid().empty()) how.precondition_uid(present->machine.uid());
    const auto removed = co_await by.delete_(*kind, key, how);
    if (!removed) co_return removed.error();
    co_return detail::registration_answer();
}

inline awaitable<void> registration::impl::watch(std::shared_ptr<impl> self, std::shared_ptr<turn> mine) {
    backoff_policy shape;
    shape.initial(std::chrono::seconds(1));
    backoff pauses(shape);
    while (!mine->closing && !mine->ended && !self->gone) {
        const std::stop_token stop = mine->watching.token();
        if (mine->machine.version().empty()) {
            co_await self->changed.wait(self->env, stop);
            continue;
        }
        const error why = co_await self->follow(*mine, stop);
        mine->machine.watching(false, self->env.now());
        self->changed.notify_all();
        if (mine->closing || mine->ended) break;
        if (stop.stop_requested()) continue;  // there is another generation
        self->report_unwatched(why);
        co_await sleep_for(self->env, pauses.next(self->env.now(), random_unit(self->env)), stop);
    }
}

// One watch, from the version that was applied last; whatever breaks it is mended below.
inline awaitable<error> registration::impl::follow(turn& mine, std::stop_token stop) {
    watch_options how;
    how.in_namespace(kind->namespaced() ? key.namespace_ : std::string()).field_selector("metadata.name=" + key.name);
    how.resource_version(mine.machine.version());
    retry_watcher watcher(cl, *kind, how);
    mine.machine.watching(true, env.now());
    for (;;) {
        const auto event = co_await watcher.next(stop);
        if (!event) co_return event.error();
        mine.machine.observed(event->resource_version, env.now());
        changed.notify_all();
    }
}

inline std::string registration::impl::rule() const {
    return detail::role_rule(gvk.group, kind ? kind->plural : "?", {"create", "patch", "delete", "watch"});
}

inline void registration::impl::report(turn& mine) {
    using event = detail::registration_event;
    const logger to = log.with("object", gvk.kind + " " + to_string(key));
    for (const auto& notice : mine.machine.take_notices()) {
        const std::string text = escape_control(notice.text);
        if (notice.event == event::forbidden || notice.event == event::remove_forbidden) {
            to.warning(notice.event == event::forbidden ? "the object can't be registered: a right is missing"
                                                        : "the object can't be deleted: a right is missing",
                       {{"rule", rule()}, {"reason", text}});
        } else if (notice.event == event::pod_forbidden) {
            to.warning("no pod owns the object: a right is missing",
                       {{"rule", detail::role_rule("", "pods", {"get"})}, {"reason", text}});
        } else if (notice.event == event::failed) {
            to.warning("the object can't be registered", {{"reason", text}});
        } else if (notice.event == event::undone) {
            to.warning("another writer changes the object again and again: use another name or other fields");
        } else {
            to.info("the object is registered again");
        }
    }
}

inline void registration::impl::report_unwatched(const error& why) {
    if (why == errc::stopped || why == condition::expired) return;
    const auto entry = watches.failed(why.code(), env.now());
    if (!entry) return;
    auto fields = failure_fields("reason", escape_control(why.what()), *entry);
    fields.push_back({"object", gvk.kind + " " + to_string(key)});
    if (why == api_errc::forbidden) fields.push_back({"rule", rule()});
    log.warning("the registered object can't be watched: it is applied every 30 s", std::move(fields));
}

}  // namespace kcontrol::service

// What a controller has to do with its sources: they, and what stands between them and the queue, are functions of the
// program, and each of them may throw.
#pragma once

#include <kcontrol/controller/impl/controller_impl.hpp>

#include <optional>
#include <utility>

namespace kcontrol::inline v0_1 {

inline void any_controller::impl::deliver(const any_event& event, const std::vector<predicate>& predicates,
                                          const kind_event_handler& handle, std::string_view kind) {
    const auto about = [&event] { return event.object() ? to_string(event.object().key()) : std::string(); };
    for (const predicate& wanted : predicates) {
        bool passes = true;  // where it throws: a reconcile too many is better than one too few
        calls.call(
            "a predicate", [&] { passes = wanted(event); }, about);
        if (!passes) return;
    }
    // Whoever delivers calls again where there was no memory.
    calls.call_or_exhaust(
        "an event handler or map", [&] { handle(event, kind); }, about);
}

// Before any predicate: whether an object is there is no question of what is worth a reconcile.
inline void any_controller::impl::tell_gone(const any_event& event, const deletion_handler& gone) {
    if (!event.old_object) return;
    const bool replaced = event.type == event_type::updated && event.new_object &&
                          event.old_object.meta().uid != event.new_object.meta().uid;
    if (event.type != event_type::deleted && !replaced) return;
    calls.call(
        "request_of() of the primary objects", [&] { gone(event.old_object); },
        [&event] { return to_string(event.old_object.key()); });
}

inline std::string any_controller::impl::describe(const event_source& source) {
    std::string out = "a source that does not say what it is";
    calls.call("describe() of a source", [&] { out = source.describe(); });
    return out;
}

// What is subscribed may watch or unwatch sources while it is told of what is there.
inline result<void> any_controller::impl::subscribe(std::uint64_t watch_id) {
    const auto found = sources.find(watch_id);
    if (found == sources.end()) return {};
    const auto source = found->second.source;
    const auto deliver_to = found->second.deliver;
    subscription hold;
    const bool subscribed = calls.call(
        "subscribe() of a source", [&] { hold = source->subscribe(deliver_to); }, [&] { return describe(*source); });
    if (!subscribed) return error(errc::callback_failed, "controller " + name + ": " + calls.last_thrown());
    const auto still_there = sources.find(watch_id);
    if (still_there != sources.end()) still_there->second.hold = std::move(hold);
    return {};
}

inline result<void> any_controller::impl::subscribe_all(const std::stop_token& stop) {
    std::vector<std::uint64_t> present;
    for (const auto& [id, w] : sources) present.push_back(id);
    for (const std::uint64_t id : present) {
        if (stop.stop_requested()) break;
        result<void> subscribed = subscribe(id);
        if (!subscribed) return subscribed;
    }
    return {};
}

inline awaitable<result<bool>> any_controller::impl::wait_for_source(std::shared_ptr<event_source> source,
                                                                     std::stop_token stop,
                                                                     std::optional<time_point> deadline) {
    try {
        const bool synced = co_await source->wait_synced(std::move(stop), deadline);
        co_return synced;
    } catch (...) {
        calls.caught("wait_synced() of a source", [&] { return describe(*source); });
    }
    co_return error(errc::callback_failed, "controller " + name + ": " + calls.last_thrown());
}

}  // namespace kcontrol

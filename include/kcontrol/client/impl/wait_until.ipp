#pragma once

#include <kcontrol/base/thrown.hpp>
#include <kcontrol/client/detail/watch_again.hpp>
#include <kcontrol/client/retry_watcher.hpp>
#include <kcontrol/client/wait_until.hpp>
#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/model/field_selector.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <algorithm>
#include <string_view>

namespace kcontrol::inline v0_1 {
namespace detail {

// What a wait knows: the object, its end, and what to say at it.
class object_wait {
public:
    object_wait(client c, const resource_info& i, namespaced_name k, const wait_options& options)
        : from(std::move(c)),
          info(&i),
          key(std::move(k)),
          until(from.env().now() + options.deadline()),
          stop(options.stop()),
          pace(backoff_policy().initial(std::chrono::milliseconds(500)).cap(std::chrono::seconds(10)).jitter(0.5)) {}

    client from;
    const resource_info* info;
    namespaced_name key;
    time_point until;
    std::stop_token stop;
    backoff pace;
    any_object last;
    std::string trouble;  // why nothing is known of the object, if that is so

    std::string selector() const { return field_selector({field_requirement("metadata.name", key.name)}).to_string(); }

    error timed_out() const {
        std::string text = info->gvk.kind + " " + to_string(key) + ": what is waited for did not come in time; ";
        if (!trouble.empty()) return error(errc::timeout, text + "the last failure: " + trouble);
        if (!last) return error(errc::timeout, text + "there is no such object");
        return error(errc::timeout, text + "the object is at version " + std::string(last.meta().resource_version));
    }
};

template <class Holds, class Of>
result<bool> ask_condition(const Holds& holds, const Of& of, std::string_view who) {
    try {
        return holds(of);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (...) {
        return error_of_thrown(who);
    }
}

// The object as it is now, and the version of the list that says so.
inline awaitable<result<std::string>> look_up(object_wait& wait) {
    for (;;) {
        list_options how;
        how.in_namespace(wait.key.namespace_).field_selector(wait.selector()).stop(wait.stop);
        how.deadline(std::min<duration>(std::as_const(how).deadline(), wait.until - wait.from.env().now()));
        auto list = co_await wait.from.list_page(*wait.info, std::move(how));
        if (list) {
            if (!list->invalid.empty()) co_return list->invalid.front().why;
            wait.trouble.clear();
            wait.last = list->items.empty() ? any_object() : list->items.front();
            co_return list->resource_version;
        }
        const time_point now = wait.from.env().now();
        wait.trouble = list.error().what();
        if (now >= wait.until) co_return wait.timed_out();
        if (!may_watch_again(list.error()) && list.error() != condition::expired) co_return list.error();
        const double unit = static_cast<double>(wait.from.env().random() >> 11) * 0x1.0p-53;
        const time_point again = std::min(now + wait.pace.next(now, unit), wait.until);
        const wake woken = co_await sleep_until(wait.from.env(), again, wait.stop);
        if (woken == wake::stopped) co_return error(errc::stopped);
        if (wait.from.env().now() >= wait.until) co_return wait.timed_out();
    }
}

// Follows the object from that version until the condition holds. Nothing: the version expired.
inline awaitable<result<bool>> follow_object(object_wait& wait, std::string version,
                                             const std::function<bool(const any_object&)>& holds) {
    watch_options how;
    how.in_namespace(wait.key.namespace_).field_selector(wait.selector()).resource_version(std::move(version));
    retry_watcher watch(wait.from, *wait.info, std::move(how));
    watch.give_up_at(wait.until);
    for (;;) {
        auto event = co_await watch.next(wait.stop);
        if (!event) {
            if (event.error() == condition::expired) co_return false;
            if (wait.from.env().now() >= wait.until) co_return wait.timed_out();
            co_return event.error();
        }
        if (event->invalid) co_return event->invalid->why;
        wait.last = event->type == watch_event_type::deleted ? any_object() : event->object;
        const auto met = ask_condition(holds, wait.last, "the condition of wait_until()");
        if (!met) co_return met.error();
        if (*met) co_return true;
    }
}

inline awaitable<result<any_object>> wait_until_call(client from, const resource_info* info, namespaced_name key,
                                                     std::function<bool(const any_object&)> holds,
                                                     wait_options options) {
    object_wait wait(std::move(from), *info, std::move(key), options);
    for (;;) {
        auto version = co_await look_up(wait);
        if (!version) co_return version.error();
        const auto met = ask_condition(holds, wait.last, "the condition of wait_until()");
        if (!met) co_return met.error();
        if (*met) co_return wait.last;
        const auto followed = co_await follow_object(wait, std::move(*version), holds);
        if (!followed) co_return followed.error();
        if (*followed) co_return wait.last;
    }
}

inline awaitable<result<watch_event>> until_call(client from, const resource_info* info, watch_options begin,
                                                 std::function<bool(const watch_event&)> holds, wait_options options) {
    retry_watcher watch(from, *info, std::move(begin));
    watch.give_up_at(from.env().now() + options.deadline());
    for (;;) {
        auto event = co_await watch.next(options.stop());
        if (!event) co_return event.error();
        const auto met = ask_condition(holds, *event, "the condition of until()");
        if (!met) co_return met.error();
        if (*met) co_return event;
    }
}

inline awaitable<result<void>> delete_and_wait_call(client from, resource_info info, namespaced_name key,
                                                    delete_options how, wait_options options) {
    const delete_options& said = how;
    get_options bounds;
    bounds.deadline(said.deadline()).stop(said.stop());
    const auto present = co_await from.live().get(info, key, std::move(bounds));
    if (!present) {
        if (said.ignore_not_found() && present.error() == condition::not_found) co_return result<void>();
        co_return present.error();
    }
    // Another object that has come in its place stays.
    const std::string uid(present->meta().uid);
    const bool own_precondition = said.precondition_uid().empty();
    if (own_precondition) how.precondition_uid(uid);
    const auto removed = co_await from.delete_(info, key, how);
    if (!removed) {
        const error& why = removed.error();
        const bool other =
            own_precondition && said.precondition_resource_version().empty() && why == condition::conflict;
        if (why == condition::not_found || other) co_return result<void>();
        co_return why;
    }
    if (said.dry_run()) co_return result<void>();
    std::function<bool(const any_object&)> gone = [&uid](const any_object& object) {
        return !object || object.meta().uid != uid;
    };
    const auto waited = co_await wait_until(from, info, key, std::move(gone), std::move(options));
    if (!waited) co_return waited.error();
    co_return result<void>();
}

}  // namespace detail

KCONTROL_DECL awaitable<result<any_object>> wait_until(client c, const resource_info& info, namespaced_name key,
                                                       std::function<bool(const any_object&)> holds,
                                                       wait_options options) {
    auto placed = c.placed(info, std::move(key));
    if (!placed) return make_ready<result<any_object>>(placed.error());
    return detail::wait_until_call(c.live(), &info, std::move(*placed), std::move(holds), std::move(options));
}

KCONTROL_DECL awaitable<result<watch_event>> until(client c, const resource_info& info, watch_options from,
                                                   std::function<bool(const watch_event&)> holds,
                                                   wait_options options) {
    return detail::until_call(std::move(c), &info, std::move(from), std::move(holds), std::move(options));
}

KCONTROL_DECL awaitable<result<void>> delete_and_wait(client c, const resource_info& info, namespaced_name key,
                                                      delete_options how, wait_options options) {
    auto placed = c.placed(info, std::move(key));
    if (!placed) return make_ready<result<void>>(placed.error());
    auto metadata = metadata_resource(info.gvk, info.plural, info.scope);
    return detail::delete_and_wait_call(std::move(c), std::move(metadata), std::move(*placed), std::move(how),
                                        std::move(options));
}

}  // namespace kcontrol

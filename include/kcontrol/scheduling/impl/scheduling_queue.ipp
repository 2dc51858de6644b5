#pragma once

#include <kcontrol/base/thrown.hpp>
#include <kcontrol/model/describe.hpp>
#include <kcontrol/runtime/time_after.hpp>
#include <kcontrol/scheduling/scheduling_queue.hpp>

#include <algorithm>
#include <bit>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

inline std::int64_t ticks(time_point at) { return at.time_since_epoch().count(); }

// An event of a pod itself can't help it: set() knows what its own changes mean.
inline bool is_about(const cluster_event& what, const pod_info& pod) {
    const auto is_that = [&](const any_object& one) { return one && one.meta().uid == pod.uid(); };
    return is_that(what.after) || is_that(what.before);
}

}  // namespace detail

KCONTROL_DECL bool scheduling_queue::earlier::operator()(const entry& a, const entry& b) const {
    return a.rank != b.rank ? a.rank < b.rank : a.number < b.number;
}

KCONTROL_DECL scheduling_queue::scheduling_queue(scheduling_queue_options options)
    : options_(std::move(options)),
      states_{entries(earlier()), entries(earlier()), entries(earlier()), entries(earlier()), entries(earlier())} {}

KCONTROL_DECL scheduling_queue::~scheduling_queue() = default;

KCONTROL_DECL result<plugin_set> scheduling_queue::add_plugin(std::string name, std::vector<event_kind> events,
                                                              hint_function hint) {
    constexpr std::size_t most = 64;
    if (plugins_.size() == most) {
        return error(errc::limit_exceeded, "plugin " + name + ": a scheduling queue has at most 64 plugins");
    }
    plugins_.push_back({std::move(name), std::move(events), std::move(hint)});
    return plugin_set{1} << (plugins_.size() - 1);
}

KCONTROL_DECL std::vector<std::string_view> scheduling_queue::names_of(plugin_set plugins) const {
    std::vector<std::string_view> out;
    for (std::size_t i = 0; i < plugins_.size(); ++i) {
        if ((plugins & (plugin_set{1} << i)) != 0) out.emplace_back(plugins_[i].name);
    }
    return out;
}

// What the call of a function of a plugin returns, or something else if it throws.
template <class Result, class F>
Result scheduling_queue::guarded(const pod_info& pod, std::string_view what, const plugin* of, Result otherwise,
                                 F&& call) const {
    try {
        return call();
    } catch (...) {
        const std::string owner = of == nullptr ? std::string() : "plugin " + of->name + ": ";
        const std::string message = owner + std::string(what) + " threw: " + describe_thrown();
        if (options_.on_failure()) options_.on_failure()(pod, error(errc::callback_failed, message));
        return otherwise;
    }
}

// Pods come and go.

KCONTROL_DECL void scheduling_queue::set(std::shared_ptr<const pod_info> pod, time_point now) {
    entry* known = pods_.find(pod->namespace_(), pod->name());
    if (known != nullptr && known->pod->uid() != pod->uid()) {
        erase(*known);
        known = nullptr;
    }
    if (known == nullptr) {
        auto made = std::make_unique<entry>();
        made->pod = pod.get();
        made->shared = std::move(pod);
        made->added = made->entered = made->since = now;
        made->number = ++numbers_;
        entry& added = pods_.insert(std::move(made));
        in(queue_state::active).insert(added);
        return wake(added, now);
    }
    const auto before = known->shared;
    known->pod = pod.get();
    known->shared = std::move(pod);
    switch (known->state) {
    case queue_state::active:
    case queue_state::gated: return wake(*known, now);
    case queue_state::backoff: return;
    default: break;
    }
    const event_actions changes = changes_of(*before, *known->pod);
    if (changes == event_actions::none) return;
    if (known->state == queue_state::in_flight) {
        known->was_updated = true;
        return;
    }
    static const interned_name pods("Pod");
    const cluster_event what{{pods, changes}, any_object(before->shared_pod()), any_object(known->pod->shared_pod())};
    if (helps(*known, what, interested(what.kind))) wake(*known, now);
}

KCONTROL_DECL bool scheduling_queue::remove(std::string_view namespace_, std::string_view name, std::string_view uid) {
    entry* const known = pods_.find(namespace_, name);
    if (known == nullptr || known->pod->uid() != uid) return false;
    erase(*known);
    return true;
}

KCONTROL_DECL void scheduling_queue::erase(entry& pod) {
    in(pod.state).erase(pod);
    pods_.erase(pod);
    drop_events();
}

KCONTROL_DECL const queued_pod* scheduling_queue::find(std::string_view namespace_, std::string_view name) const {
    return pods_.find(namespace_, name);
}

KCONTROL_DECL scheduling_queue::entry* scheduling_queue::find_entry(const pod_info& pod, bool in_flight) const {
    entry* const known = pods_.find(pod.namespace_(), pod.name());
    const bool is_that = known != nullptr && known->pod->uid() == pod.uid();
    return is_that && (known->state == queue_state::in_flight) == in_flight ? known : nullptr;
}

KCONTROL_DECL void scheduling_queue::move(entry& pod, queue_state to, std::int64_t key, time_point now) {
    in(pod.state).erase(pod);
    if (pod.state != to) pod.since = now;
    pod.state = to;
    pod.rank = to == queue_state::active ? rank_of(pod) : queue_rank{key};
    in(to).insert(pod);
    if (to == queue_state::unschedulable || to == queue_state::gated) waited_for_ |= pod.rejected_by;
}

KCONTROL_DECL queue_rank scheduling_queue::default_rank(const queued_pod& pod) {
    return {0, -std::int64_t{pod.pod->priority()}, detail::ticks(pod.entered)};
}

KCONTROL_DECL queue_rank scheduling_queue::rank_of(const entry& pod) const {
    const queue_rank usual = default_rank(pod);
    if (!options_.rank()) return usual;
    return guarded(*pod.pod, "queue_sort", nullptr, usual, [&] { return options_.rank()(pod); });
}

// To where it waits for its turn: gated, in backoff, or active.
KCONTROL_DECL void scheduling_queue::wake(entry& pod, time_point now) {
    if (options_.gate()) {
        bool has_failed = true;
        const auto gates = guarded(*pod.pod, "pre_enqueue", nullptr, plugin_set{0}, [&] {
            const auto out = options_.gate()(*pod.pod);
            has_failed = false;
            return out;
        });
        if (gates != 0) {
            pod.rejected_by = gates;
            return move(pod, queue_state::gated, 0, now);
        }
        if (has_failed) {
            pod.rejected_by = 0;
            // Later than now, or the gate would be asked again at once.
            pod.backoff_until = std::max(backoff_end(++pod.failures, now), time_after(now, duration(1)));
        }
    }
    if (pod.backoff_until > now) {
        move(pod, queue_state::backoff, detail::ticks(pod.backoff_until), now);
    } else {
        move(pod, queue_state::active, 0, now);
    }
}

// In flight and back.

KCONTROL_DECL const queued_pod* scheduling_queue::pop(time_point now) {
    advance(now);
    auto& active = in(queue_state::active);
    if (active.empty()) return nullptr;
    entry& first = active.front();
    fly(first, now);
    return &first;
}

KCONTROL_DECL const queued_pod* scheduling_queue::take(const pod_info& pod, time_point now) {
    entry* const known = find_entry(pod, false);
    if (known == nullptr || known->state == queue_state::gated) return nullptr;
    fly(*known, now);
    return known;
}

KCONTROL_DECL void scheduling_queue::fly(entry& pod, time_point now) {
    pod.before = pod.state;
    pod.end_before = pod.rank[0];
    pod.was_updated = false;
    ++pod.attempts;
    move(pod, queue_state::in_flight, first_event_ + static_cast<std::int64_t>(events_.size()), now);
}

KCONTROL_DECL void scheduling_queue::done(const pod_info& pod) {
    if (entry* const known = find_entry(pod, true)) erase(*known);
}

KCONTROL_DECL void scheduling_queue::reject(const pod_info& pod, plugin_set by, time_point now) {
    if (by == 0) return fail(pod, now);  // nothing but time could help
    entry* const known = find_entry(pod, true);
    if (known == nullptr) return;
    known->failures = 0;
    known->rejected_by = by;
    known->backoff_until = backoff_end(++known->rejections, now);
    known->entered = now;
    wait(*known, detail::ticks(time_after(now, options_.flush_after())), now);
}

KCONTROL_DECL void scheduling_queue::fail(const pod_info& pod, time_point now) {
    entry* const known = find_entry(pod, true);
    if (known == nullptr) return;
    known->rejected_by = 0;
    known->backoff_until = backoff_end(++known->failures, now);
    known->entered = now;
    wake(*known, now);
    drop_events();
}

KCONTROL_DECL void scheduling_queue::put_back(const pod_info& pod, time_point now) {
    entry* const known = find_entry(pod, true);
    if (known == nullptr) return;
    --known->attempts;
    if (known->before == queue_state::unschedulable) return wait(*known, known->end_before, now);
    wake(*known, now);
    drop_events();
}

// Unschedulable, unless something happened meanwhile that may help.
KCONTROL_DECL void scheduling_queue::wait(entry& pod, std::int64_t until, time_point now) {
    if (pod.was_updated || missed_help(pod)) {
        wake(pod, now);
    } else {
        move(pod, queue_state::unschedulable, until, now);
    }
    drop_events();
}

KCONTROL_DECL time_point scheduling_queue::backoff_end(std::uint32_t times, time_point now) const {
    const duration longest = options_.longest_backoff();
    duration pause = std::min(options_.first_backoff(), longest);
    for (; times > 1 && pause < longest; --times) pause = pause > longest / 2 ? longest : pause * 2;
    return time_after(now, pause);
}

// Events.

KCONTROL_DECL plugin_set scheduling_queue::interested(const event_kind& event) const {
    plugin_set out = 0;
    for (std::size_t i = 0; i < plugins_.size(); ++i) {
        const auto& named = plugins_[i].events;
        const bool is_named =
            std::any_of(named.begin(), named.end(), [&](const event_kind& one) { return one.matches(event); });
        if (is_named) out |= plugin_set{1} << i;
    }
    return out;
}

// `of` are the plugins that named such an event.
KCONTROL_DECL bool scheduling_queue::helps(const entry& pod, const cluster_event& what, plugin_set of) const {
    for (plugin_set left = pod.rejected_by & of; left != 0; left &= left - 1) {
        const auto& by = plugins_[static_cast<std::size_t>(std::countr_zero(left))];
        if (!by.hint || guarded(*pod.pod, "hint", &by, true, [&] { return by.hint(*pod.pod, what); })) return true;
    }
    return false;
}

KCONTROL_DECL bool scheduling_queue::missed_help(const entry& pod) const {
    const std::int64_t missed = pod.rank[0];
    if (missed < first_event_) return true;  // more happened than is remembered
    const auto first = events_.begin() + (missed - first_event_);
    return std::any_of(first, events_.end(), [&](const cluster_event& one) {
        return helps(pod, one, interested(one.kind)) && !detail::is_about(one, *pod.pod);
    });
}

KCONTROL_DECL std::size_t scheduling_queue::event(const cluster_event& what, time_point now) {
    const plugin_set helpers = interested(what.kind);
    if (helpers == 0) return 0;
    if (!in(queue_state::in_flight).empty()) {
        events_.push_back(what);
        if (events_.size() > options_.remembered_events()) {
            events_.pop_front();
            ++first_event_;
        }
    }
    if ((waited_for_ & helpers) == 0) return 0;
    std::vector<entry*> helped;
    waited_for_ = 0;
    for (const auto state : {queue_state::unschedulable, queue_state::gated}) {
        for (entry* const pod : in(state)) {
            if (!detail::is_about(what, *pod->pod) && helps(*pod, what, helpers)) {
                helped.push_back(pod);
            } else {
                waited_for_ |= pod->rejected_by;
            }
        }
    }
    for (entry* const pod : helped) wake(*pod, now);
    return helped.size();
}

// Events that no pod in flight can have missed.
KCONTROL_DECL void scheduling_queue::drop_events() {
    const auto& flying = in(queue_state::in_flight);
    const auto last = first_event_ + static_cast<std::int64_t>(events_.size());
    const auto needed = flying.empty() ? last : std::min(last, flying.front().rank[0]);
    for (; first_event_ < needed; ++first_event_) events_.pop_front();
}

KCONTROL_DECL bool scheduling_queue::activate(const pod_info& pod, time_point now) {
    if (entry* const flying = find_entry(pod, true)) return flying->was_updated = true;
    entry* const known = find_entry(pod, false);
    if (known == nullptr) return false;
    if (known->state != queue_state::unschedulable && known->state != queue_state::gated) return false;
    wake(*known, now);
    return true;
}

// Order and time.

KCONTROL_DECL void scheduling_queue::sort() {
    auto& active = in(queue_state::active);
    for (entry* const pod : active) pod->rank = rank_of(*pod);
    active.rebuild();
}

KCONTROL_DECL void scheduling_queue::advance(time_point now) {
    for (const auto state : {queue_state::backoff, queue_state::unschedulable}) {
        auto& all = in(state);
        while (!all.empty() && all.front().rank[0] <= detail::ticks(now)) wake(all.front(), now);
    }
}

KCONTROL_DECL std::optional<time_point> scheduling_queue::next_deadline() const {
    std::optional<time_point> out;
    for (const auto state : {queue_state::backoff, queue_state::unschedulable}) {
        const auto& all = in(state);
        if (all.empty()) continue;
        const time_point first{duration(all.front().rank[0])};
        if (!out || first < *out) out = first;
    }
    return out;
}

}  // namespace kcontrol::scheduling

// The status as a state machine: advance() moves an object from one phase of its table to the next, in one write that
// fails if anybody wrote in between.
#pragma once

#include <kcontrol/controllerutil/conditions.hpp>
#include <kcontrol/controllerutil/phases.hpp>
#include <kcontrol/metrics/metrics_registry.hpp>
#include <kcontrol/runtime/make_ready.hpp>

#include <array>
#include <concepts>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Counts the transitions of one kind, by from and to: kcontrol_status_transitions_total{kind,from,to}. All steps of
/// the table are there from the start, with 0. Where advance_options::entered() says since when, also the time in each
/// phase that is left: kcontrol_status_phase_seconds{kind,phase}, a histogram. A handle: copies count together.
/// Default-constructed it counts nowhere.
///
/// Thread-safety: shared objects safe for const access.
class transition_counter {
public:
    transition_counter() = default;
    /// `kind` tells the tables of one program apart. The registry may go before the counter.
    template <std::size_t Count>
    transition_counter(metrics_registry& registry, std::string kind, const phase_table<Count>& phases)
        : transition_counter(registry, std::move(kind), phases.phases()) {}

    /// One such step was written; "" is no phase yet. A step that the table does not have is not counted.
    KCONTROL_DECL void count(std::string_view from, std::string_view to) const;
    /// So long an object was in that phase, which it has left.
    KCONTROL_DECL void spent(std::string_view phase, duration time) const;

private:
    using step = std::pair<std::string_view, std::string_view>;
    KCONTROL_DECL transition_counter(metrics_registry& registry, std::string kind, std::span<const phase> phases);

    std::shared_ptr<const std::map<step, metric_counter>> counters_;
    std::shared_ptr<const std::map<std::string_view, metric_histogram>> times_;
};

/// How advance() goes about it.
class advance_options {
public:
    /// The message of the conditions that follow from the phase.
    advance_options& message(std::string m) { return message_ = std::move(m), *this; }
    /// The reason of these conditions, one word in CamelCase, where the phase's name says too little:
    /// "BackoffLimitExceeded" of the phase "Failed". Default: the phase's name.
    advance_options& reason(std::string r) { return reason_ = std::move(r), *this; }
    /// Counts the transition, once it is written.
    advance_options& counter(transition_counter c) { return counter_ = std::move(c), *this; }
    /// When the object entered the phase that it leaves, as its status says: the counter gets the time in it.
    advance_options& entered(timestamp t) { return entered_ = t, *this; }
    /// Ends the call with errc::stopped.
    advance_options& stop(std::stop_token token) { return stop_ = std::move(token), *this; }

    const std::string& message() const noexcept { return message_; }
    const std::string& reason() const noexcept { return reason_; }
    const transition_counter& counter() const noexcept { return counter_; }
    timestamp entered() const noexcept { return entered_; }
    const std::stop_token& stop() const noexcept { return stop_; }

private:
    std::string message_;
    std::string reason_;
    transition_counter counter_;
    timestamp entered_;
    std::stop_token stop_;
};

namespace detail {

template <class Text>
std::string_view phase_text(const Text& member) {
    if constexpr (requires { member.has_value(); }) {
        return member ? std::string_view(*member) : std::string_view();
    } else {
        return std::string_view(member);
    }
}

template <class T>
std::string_view current_phase(const T& object) {
    if constexpr (requires { object.status.has_value(); }) {
        return object.status ? phase_text(object.status->phase) : std::string_view();
    } else {
        return phase_text(object.status.phase);
    }
}

template <const auto& Phases>
constexpr bool names_conditions() {
    for (const phase& each : Phases.phases()) {
        if (!each.conditions().empty()) return true;
    }
    return false;
}

template <const auto& Phases, class T>
constexpr bool assert_has_phase() {
    constexpr bool has_phase = requires(T & object) { status_of(object).phase = std::string(); };
    static_assert(has_phase,
                  "kcontrol: this kind has no status.phase. Give its status a member `kcontrol::text phase` and list "
                  "it as a field");
    if constexpr (has_phase && names_conditions<Phases>()) return assert_conditions<T>();
    return has_phase;
}

/// Puts the phase and the conditions that follow from it into the status. `reason` empty: the phase's name.
template <class T>
void enter_phase(T& object, const phase& next, std::string_view reason, const std::string& message, wall_time now) {
    auto& status = status_of(object);
    status.phase = std::string(next.name());
    if (reason.empty()) reason = next.name();
    if constexpr (requires { status.conditions.begin(); }) {
        for (const phase_condition& each : next.conditions()) {
            auto condition = condition_for(object, each.type, true, reason, message);
            condition.status = each.status;
            set_condition(status.conditions, condition, now);
        }
    }
}

/// The object as it is to be in that phase.
template <resource T, class Edit>
result<std::shared_ptr<const T>> edited_in_phase(const T& object, const phase& to, Edit& edit,
                                                 const advance_options& options, environment& env) {
    auto after = std::make_shared<T>(object);
    if (auto ok = call_edit(edit, *after); !ok) return name_error<T>(ok.error(), object.metadata);
    enter_phase(*after, to, options.reason(), options.message(), env.wall_now());
    return std::shared_ptr<const T>(std::move(after));
}

/// The same, by a step that the table has.
template <const auto& Phases, resource T, class Edit>
result<std::shared_ptr<const T>> edited_by_step(const T& object, const phase& to, Edit& edit,
                                                const advance_options& options, environment& env) {
    if (auto ok = Phases.check(current_phase(object), to.name()); !ok) {
        return name_error<T>(ok.error(), object.metadata);
    }
    return edited_in_phase(object, to, edit, options, env);
}

template <resource T>
awaitable<result<T>> write_phase(client c, std::shared_ptr<const T> before, std::shared_ptr<const T> after,
                                 advance_options options) {
    write_options how;
    how.subresource("status").stop(options.stop());
    auto written = co_await c.patch(*before, *after, how);
    const bool moved = current_phase(*before) != current_phase(*after);
    if (written && moved) options.counter().count(current_phase(*before), current_phase(*after));
    if (written && moved && options.entered().present()) {
        options.counter().spent(current_phase(*before), c.env().wall_now() - options.entered().value());
    }
    co_return written;
}

template <const auto& Phases, resource T, class Edit>
awaitable<result<T>> write_ensured_phase(client c, std::shared_ptr<const T> object, const phase& to, Edit edit,
                                         advance_options options) {
    const phase& initial = Phases.phases().front();
    if (current_phase(*object).empty() && to.name() != initial.name()) {
        auto begun = std::make_shared<T>(*object);
        enter_phase(*begun, initial, {}, options.message(), c.env().wall_now());
        auto written = co_await write_phase<T>(c, object, std::move(begun), options);
        if (!written) co_return written;
        object = std::make_shared<const T>(std::move(*written));
    }
    const bool stays = current_phase(*object) == to.name();
    auto after = stays ? edited_in_phase(*object, to, edit, options, c.env())
                       : edited_by_step<Phases>(*object, to, edit, options, c.env());
    if (!after) co_return after.error();
    auto reached = co_await write_phase<T>(std::move(c), object, std::move(*after), std::move(options));
    co_return reached;
}

}  // namespace detail

/// How many objects are in each phase, as `name{phase="Running"} 3`; of the phases that none is in, 0. An object
/// without a phase is in the first one; a phase that the table does not have is not told. For collectors
/// (metrics_registry::collect): `objects` are pointers, such as an informer's list().
template <std::size_t Count, class Objects>
void write_phases(metrics_writer& out, const std::string& name, const std::string& help,
                  const phase_table<Count>& phases, const Objects& objects) {
    std::array<double, Count> counts{};
    for (const auto& each : objects) {
        const std::string_view phase = detail::current_phase(*each);
        const std::size_t at = phase.empty() ? 0 : detail::place_of_phase(phases.phases(), phase);
        if (at < Count) ++counts[at];
    }
    for (std::size_t at = 0; at < Count; ++at) {
        out.gauge(name, help, {{"phase", std::string(phases.phases()[at].name())}}, counts[at]);
    }
}

/// Moves the object on to a phase and returns it as it is then. `edit(T&)` sets what else changes in the status
/// (readyReplicas, conditions that do not follow from the phase); all is one write, of the phase and of the conditions
/// that the table derives from it, which carries the object's resource version: if anybody wrote in between, or the
/// object came from a cache that lags behind, it ends with a conflict, and nothing is written. So each version that the
/// server stores is an allowed step from the one before. It is not tried again here, for what the object is to become
/// depends on what it is: the next reconcile sees the newer one.
///
/// Nothing is sent for a step that the table does not have, and for one to the phase that the object is in: these are
/// invalid_argument and name both phases. Compare the phases where staying is right. Errors, besides: those of the
/// write. After unknown_outcome the step may have happened; it is not counted.
template <const auto& Phases, resource T, class Edit>
requires std::invocable<Edit&, T&> awaitable<result<T>> advance(client c, const T& object, phase_of<Phases> to,
                                                                Edit edit, advance_options options = {}) {
    if constexpr (assert_phases<Phases>() && detail::assert_has_phase<Phases, T>()) {
        auto after = detail::edited_by_step<Phases>(object, *to, edit, options, c.env());
        if (!after) return make_ready<result<T>>(after.error());
        return detail::write_phase<T>(std::move(c), std::make_shared<const T>(object), std::move(*after),
                                      std::move(options));
    } else {
        std::terminate();  // in no program: an assertion has failed
    }
}

/// The same where nothing else changes.
template <const auto& Phases, resource T>
awaitable<result<T>> advance(client c, const T& object, phase_of<Phases> to, advance_options options = {}) {
    const auto nothing = [](T&) {};
    return advance<Phases>(std::move(c), object, to, nothing, std::move(options));
}

/// What a reconcile that runs again and again calls: sees to it that the object is in that phase, with what `edit(T&)`
/// sets beside it. In another phase it is advance(); an object without a phase enters the first one before. In that
/// phase already, only what differs is written, and nothing if nothing does. Compare `status.phase` before and after to
/// know whether it moved. A conflict is returned, as by advance(). Errors: as there.
template <const auto& Phases, resource T, class Edit>
requires std::invocable<Edit&, T&> awaitable<result<T>> ensure_phase(client c, const T& object, phase_of<Phases> to,
                                                                     Edit edit, advance_options options = {}) {
    if constexpr (assert_phases<Phases>() && detail::assert_has_phase<Phases, T>()) {
        return detail::write_ensured_phase<Phases, T>(std::move(c), std::make_shared<const T>(object), *to,
                                                      std::move(edit), std::move(options));
    } else {
        std::terminate();  // in no program: an assertion has failed
    }
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controllerutil/impl/status_machine.ipp>
#endif

// The phases of a kind's status and the steps between them, declared in one table that the compiler checks.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/config.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// What a phase says about a condition.
class phase_condition {
public:
    constexpr phase_condition() = default;
    constexpr phase_condition(std::string_view t, std::string_view s) : type(t), status(s) {}  ///< type and status

    std::string_view type;    ///< of the condition, such as "Available"
    std::string_view status;  ///< "True", "False" or "Unknown"
};

/// One phase: where it leads to, and which conditions follow from it. A literal type; texts are string literals, or
/// live as long as the program.
class phase {
public:
    static constexpr std::size_t most_steps = 16;      ///< so many phases may follow one; more do not compile
    static constexpr std::size_t most_conditions = 8;  ///< so many conditions may follow from it; more do not compile

    constexpr phase() = default;
    /// The name is also the reason of the conditions that follow from it: letters, digits and '_', a letter first.
    constexpr explicit phase(std::string_view name) : name_(name) {}

    /// The phases that may come next.
    template <class... Names>
    constexpr phase& to(const Names&... names) {
        return (add_step(std::string_view(names)), ...), *this;
    }
    /// Nothing comes next, and that is meant.
    constexpr phase& terminal() { return terminal_ = true, *this; }
    /// In this phase the condition of that type is True, False, or Unknown. A condition that no phase names is left
    /// alone.
    constexpr phase& holds(std::string_view condition) { return add_condition(condition, "True"); }
    /// In this phase it is False.
    constexpr phase& lacks(std::string_view condition) { return add_condition(condition, "False"); }
    /// In this phase it is Unknown.
    constexpr phase& leaves_open(std::string_view condition) { return add_condition(condition, "Unknown"); }

    constexpr std::string_view name() const noexcept { return name_; }  ///< as in `status.phase`
    constexpr bool is_terminal() const noexcept { return terminal_; }   ///< whether terminal() was said
    /// The names of the phases that may come next, in the order of to().
    constexpr std::span<const std::string_view> steps() const noexcept { return {steps_.data(), step_count_}; }
    /// What it says about conditions, each of which it names once.
    constexpr std::span<const phase_condition> conditions() const noexcept {
        return {conditions_.data(), condition_count_};
    }
    /// Whether the phase of that name may come next.
    constexpr bool leads_to(std::string_view next) const {
        for (const auto step : steps()) {
            if (step == next) return true;
        }
        return false;
    }

private:
    constexpr void add_step(std::string_view next) {
        if (step_count_ == most_steps) throw "kcontrol: a phase leads to at most 16 others";
        steps_[step_count_++] = next;
    }
    constexpr phase& add_condition(std::string_view type, std::string_view status) {
        if (condition_count_ == most_conditions) throw "kcontrol: a phase names at most 8 conditions";
        conditions_[condition_count_++] = phase_condition(type, status);
        return *this;
    }

    std::string_view name_;
    std::array<std::string_view, most_steps> steps_{};
    std::array<phase_condition, most_conditions> conditions_{};
    std::size_t step_count_ = 0, condition_count_ = 0;
    bool terminal_ = false;
};

/// What is wrong with a table of phases.
enum class phase_fault {
    none,
    bad_name,         ///< a name is empty, or can't be the reason of a condition
    duplicate_phase,  ///< two phases have one name
    unknown_phase,    ///< a phase leads to one that is not in the table
    duplicate_step,   ///< a phase leads to another one twice
    step_to_itself,
    dead_end,            ///< a phase leads nowhere and is not terminal()
    terminal_with_step,  ///< a terminal() phase leads somewhere
    unreachable,         ///< no steps from the first phase lead there
    duplicate_condition  ///< a phase names a condition twice
};

namespace detail {

using phase_span = std::span<const phase>;

/// The place of the first phase of that name; the number of phases if there is none. Not a pointer, which may be null:
/// with -fsanitize=undefined g++ does not know at compile time that a phase of an `inline constexpr` table has an
/// address.
constexpr std::size_t place_of_phase(phase_span phases, std::string_view name) {
    std::size_t at = 0;
    while (at < phases.size() && phases[at].name() != name) ++at;
    return at;
}

constexpr const phase* find_phase(phase_span phases, std::string_view name) {
    const std::size_t at = place_of_phase(phases, name);
    return at < phases.size() ? &phases[at] : nullptr;
}

constexpr bool is_phase_name(std::string_view name) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    if (name.empty() || !is_letter(name.front())) return false;
    for (const char c : name) {
        if (!is_letter(c) && !(c >= '0' && c <= '9') && c != '_') return false;
    }
    return true;
}

constexpr phase_fault fault_of(phase_span phases, std::size_t index) {
    const phase& one = phases[index];
    if (!is_phase_name(one.name())) return phase_fault::bad_name;
    if (place_of_phase(phases, one.name()) != index) return phase_fault::duplicate_phase;
    const auto steps = one.steps();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (place_of_phase(phases, steps[i]) == phases.size()) return phase_fault::unknown_phase;
        if (steps[i] == one.name()) return phase_fault::step_to_itself;
        for (std::size_t j = 0; j < i; ++j) {
            if (steps[i] == steps[j]) return phase_fault::duplicate_step;
        }
    }
    if (steps.empty() && !one.is_terminal()) return phase_fault::dead_end;
    if (!steps.empty() && one.is_terminal()) return phase_fault::terminal_with_step;
    const auto conditions = one.conditions();
    for (std::size_t i = 0; i < conditions.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (conditions[i].type == conditions[j].type) return phase_fault::duplicate_condition;
        }
    }
    return phase_fault::none;
}

template <std::size_t Count>
constexpr bool all_reachable(const std::array<phase, Count>& phases) {
    std::array<bool, Count> reached{};
    reached[0] = true;
    // A phase is at most Count - 1 steps away.
    for (std::size_t round = 1; round < Count; ++round) {
        for (std::size_t i = 0; i < Count; ++i) {
            for (std::size_t j = 0; reached[i] && j < Count; ++j) {
                if (phases[i].leads_to(phases[j].name())) reached[j] = true;
            }
        }
    }
    for (const bool one : reached) {
        if (!one) return false;
    }
    return true;
}

/// Success if the step is allowed, else an error that names both phases and what is allowed.
KCONTROL_DECL result<void> check_step(phase_span phases, std::string_view from, std::string_view to);

}  // namespace detail

/// All phases of a kind. The first one is where an object begins: from no phase at all, that is the only step.
///
///     inline constexpr kcontrol::phase_table website_phases(
///         kcontrol::phase("Pending").to("Ready", "Failed").lacks("Available"),
///         kcontrol::phase("Ready").to("Failed").holds("Available"),
///         kcontrol::phase("Failed").terminal().lacks("Available"));
///
/// A mistake in it does not compile where the table is used (advance(), assert_phases()).
///
/// Thread-safety: safe; immutable.
template <std::size_t Count>
class phase_table {
public:
    /// `first` is where an object begins; the order of the others does not matter.
    template <class... Phases>
    constexpr explicit phase_table(const phase& first, const Phases&... more) : phases_{first, more...} {}

    constexpr std::span<const phase> phases() const noexcept { return phases_; }       ///< all, the first one first
    constexpr std::string_view initial() const noexcept { return phases_[0].name(); }  ///< the name of the first one
    /// Null if there is none of that name.
    constexpr const phase* find(std::string_view name) const { return detail::find_phase(phases_, name); }
    /// Whether `to` may come after `from`; "" is no phase yet.
    constexpr bool allows(std::string_view from, std::string_view to) const {
        if (from.empty()) return to == initial();
        const std::size_t before = detail::place_of_phase(phases_, from);
        return before < Count && phases_[before].leads_to(to);
    }
    /// The same as a result. Errors: invalid_argument that names both phases, what is allowed instead, and whether the
    /// step is none because the object is there already.
    result<void> check(std::string_view from, std::string_view to) const {
        return detail::check_step(phases_, from, to);
    }
    /// What is wrong with the table, the first that is found; assert_phases() has it in words.
    constexpr phase_fault fault() const {
        for (std::size_t i = 0; i < Count; ++i) {
            if (const phase_fault found = detail::fault_of(phases_, i); found != phase_fault::none) return found;
        }
        return detail::all_reachable(phases_) ? phase_fault::none : phase_fault::unreachable;
    }

private:
    std::array<phase, Count> phases_;
};

template <class... Phases>
phase_table(const phase&, const Phases&...) -> phase_table<1 + sizeof...(Phases)>;

/// Refuses, at compile time and in words, a table with a fault. True if it has none.
template <const auto& Phases>
constexpr bool assert_phases() {
    constexpr phase_fault fault = Phases.fault();
    static_assert(fault != phase_fault::bad_name,
                  "kcontrol: a phase's name is letters, digits and '_', a letter first: it is also the reason of the "
                  "conditions that follow from it");
    static_assert(fault != phase_fault::duplicate_phase, "kcontrol: two phases of this table have the same name");
    static_assert(fault != phase_fault::unknown_phase,
                  "kcontrol: a phase leads to one that is not in this table: correct the name in to(), or add the "
                  "phase");
    static_assert(fault != phase_fault::duplicate_step, "kcontrol: a phase names one phase twice in to()");
    static_assert(fault != phase_fault::step_to_itself,
                  "kcontrol: a phase leads to itself; staying in a phase is no transition");
    static_assert(fault != phase_fault::dead_end,
                  "kcontrol: a phase leads nowhere: say where in to(), or that this is meant with terminal()");
    static_assert(fault != phase_fault::terminal_with_step, "kcontrol: a terminal() phase has a to()");
    static_assert(fault != phase_fault::unreachable,
                  "kcontrol: no steps lead from the first phase of this table to one of the others");
    static_assert(fault != phase_fault::duplicate_condition, "kcontrol: a phase says twice what a condition is in it");
    return fault == phase_fault::none;
}

/// A phase of a table, whose name the compiler has looked up: `"Reday"` does not compile.
template <const auto& Phases>
class phase_of {
public:
    /// Of that name; one that the table does not have does not compile.
    consteval phase_of(const char* name) : phase_(Phases.phases().data()) {  // NOLINT: meant to convert
        const std::size_t at = detail::place_of_phase(Phases.phases(), name);
        if (at == Phases.phases().size()) throw "kcontrol: the table has no phase of this name";
        phase_ += at;
    }
    /// The same for a name that is known at run time only. Errors: invalid_argument.
    static result<phase_of> find(std::string_view name) {
        if (const phase* found = Phases.find(name); found != nullptr) return phase_of(*found);
        return error(errc::invalid_argument, "there is no phase \"" + std::string(name) + "\" in the table");
    }

    const phase& operator*() const noexcept { return *phase_; }
    const phase* operator->() const noexcept { return phase_; }

private:
    explicit phase_of(const phase& found) : phase_(&found) {}
    const phase* phase_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controllerutil/impl/phases.ipp>
#endif

// Conditions and the status: setting a condition as Kubernetes does, and writing the status without losing what others
// wrote into it.
#pragma once

#include <kcontrol/controllerutil/detail/edit.hpp>
#include <kcontrol/model/condition.hpp>

#include <exception>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// A condition of the object as it was read: its observedGeneration is the object's generation, so that a reader can
/// tell whether the condition speaks of the newest spec. `reason` is a word such as "MinimumReplicasAvailable".
template <resource T>
status_condition condition_for(const T& object, std::string_view type, bool holds, std::string_view reason,
                               std::string_view message = {}) {
    status_condition out;
    out.type = type;
    out.status = holds ? "True" : "False";
    out.observed_generation = object.metadata.generation;
    out.reason = reason;
    out.message = message;  // present even if it is empty: the schema requires it
    return out;
}

/// Puts a condition into a list that has one of each type, in place or at the end, and says whether that changed
/// anything. Its lastTransitionTime moves only if its status does: to the wanted one if there is one, else to `now`, in
/// whole seconds as Kubernetes stores it. Without an observedGeneration of its own, the one that is there stays.
///
/// For lists of status_condition, and of any struct with these members; observed_generation may be missing.
template <class Conditions>
bool set_condition(Conditions& conditions, const typename Conditions::value_type& wanted, wall_time now) {
    using condition_type = typename Conditions::value_type;
    const auto moment = wanted.last_transition_time.present()
                            ? wanted.last_transition_time
                            : timestamp(std::chrono::floor<std::chrono::seconds>(now));
    for (condition_type& found : conditions) {
        if (!(found.type == wanted.type)) continue;
        const condition_type before = found;
        if (!(found.status == wanted.status)) {
            found.status = wanted.status;
            found.last_transition_time = moment;
        }
        found.reason = wanted.reason;
        found.message = wanted.message;
        bool changed =
            !(found.status == before.status) || !(found.reason == before.reason) || !(found.message == before.message);
        if constexpr (requires { found.observed_generation.has_value(); }) {
            if (wanted.observed_generation) found.observed_generation = wanted.observed_generation;
            changed = changed || found.observed_generation != before.observed_generation;
        }
        return changed;
    }
    conditions.push_back(wanted);
    conditions.back().last_transition_time = moment;
    return true;
}

/// Takes the condition of that type out of the list. Whether there was one.
template <class Conditions>
bool remove_condition(Conditions& conditions, std::string_view type) {
    for (auto at = conditions.begin(); at != conditions.end(); ++at) {
        if (!(at->type == type)) continue;
        conditions.erase(at);
        return true;
    }
    return false;
}

namespace detail {

/// The status, made if it is a std::optional that is empty.
template <class T>
auto& status_of(T& object) {
    if constexpr (requires { object.status.emplace(); }) {
        if (!object.status) object.status.emplace();
        return *object.status;
    } else {
        return object.status;
    }
}

template <class T>
constexpr bool assert_conditions() {
    constexpr bool has_conditions = requires(T & object) { status_of(object).conditions.begin(); };
    static_assert(has_conditions,
                  "kcontrol: this kind has no status.conditions. Give its status a member "
                  "`kcontrol::list<kcontrol::status_condition> conditions` and list it as a field");
    return has_conditions;
}

}  // namespace detail

/// Writes what `edit(T&)` changes in the status, and in nothing else, through the subresource. `edit` returns nothing
/// or a result<void>, whose error ends the call. If another writer came between, the object is read again and `edit` is
/// called with that: so it sets what it knows and keeps the rest, and nobody's condition is lost. Sends nothing if
/// nothing changed. Two writers that never pause both get their turn: up to 200 attempts are made, in about 3 s, and
/// then the conflict is returned.
///
/// Errors: those of the write; not_found if the object is gone or has been replaced. Name an `edit` that captures by
/// value before the co_await (docs/testing.md).
template <resource T, class Edit>
awaitable<result<T>> write_status(client c, const T& object, Edit edit, std::stop_token stop) {
    write_options options;
    options.subresource("status").stop(std::move(stop));
    return detail::edit_object<T>(std::move(c), std::make_shared<const T>(object), std::move(edit), std::move(options),
                                  retry_policy::contended());
}

/// Sets one condition in `status.conditions` and writes it, see write_status: others' conditions stay, and
/// lastTransitionTime moves only with the status.
template <resource T>
awaitable<result<T>> write_condition(client c, const T& object, const status_condition& wanted, std::stop_token stop) {
    if constexpr (detail::assert_conditions<T>()) {
        auto edit = [wanted, env = &c.env()](T& edited) {
            set_condition(detail::status_of(edited).conditions, wanted, env->wall_now());
        };
        return write_status(std::move(c), object, std::move(edit), std::move(stop));
    } else {
        std::terminate();  // in no program: the assertion has failed
    }
}

}  // namespace kcontrol

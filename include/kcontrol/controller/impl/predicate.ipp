#pragma once

#include <kcontrol/controller/predicate.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

// An update whose two objects are known; only those are worth comparing.
inline bool is_comparable_update(const any_event& e) {
    return e.type == event_type::updated && e.old_object && e.new_object;
}

}  // namespace detail

KCONTROL_DECL bool resource_version_changed(const any_event& e) {
    if (!detail::is_comparable_update(e)) return true;
    return e.old_object.meta().resource_version != e.new_object.meta().resource_version;
}

KCONTROL_DECL bool generation_changed(const any_event& e) {
    if (!detail::is_comparable_update(e)) return true;
    return e.old_object.meta().generation.value_or(0) != e.new_object.meta().generation.value_or(0);
}

KCONTROL_DECL bool spec_changed(const any_event& e) {
    if (e.resync || !detail::is_comparable_update(e)) return true;
    const object_meta& before = e.old_object.meta();
    const object_meta& after = e.new_object.meta();
    if (before.uid != after.uid || before.generation.value_or(0) != after.generation.value_or(0)) return true;
    if (before.deletion_timestamp != after.deletion_timestamp || before.finalizers != after.finalizers) return true;
    return after.generation.value_or(0) == 0 && before.resource_version != after.resource_version;
}

KCONTROL_DECL bool label_changed(const any_event& e) {
    return !detail::is_comparable_update(e) || e.old_object.meta().labels != e.new_object.meta().labels;
}

KCONTROL_DECL bool annotation_changed(const any_event& e) {
    return !detail::is_comparable_update(e) || e.old_object.meta().annotations != e.new_object.meta().annotations;
}

KCONTROL_DECL bool create_only(const any_event& e) { return e.type == event_type::added; }

KCONTROL_DECL bool deletion(const any_event& e) {
    if (e.type == event_type::deleted) return true;
    if (e.type == event_type::generic || !e.new_object) return false;
    const object_meta& after = e.new_object.meta();
    if (e.type == event_type::added || !e.old_object) return after.deletion_timestamp != timestamp();
    const object_meta& before = e.old_object.meta();
    return before.uid != after.uid ||
           (before.deletion_timestamp == timestamp() && after.deletion_timestamp != timestamp());
}

KCONTROL_DECL bool resync_only(const any_event& e) {
    return e.resync || (detail::is_comparable_update(e) && !resource_version_changed(e));
}

KCONTROL_DECL predicate before_or_after(std::function<bool(const any_object&)> f) {
    return [f = std::move(f)](const any_event& e) { return detail::passes_either(e, f); };
}

namespace detail {

KCONTROL_DECL bool passes_either(const any_event& e, const std::function<bool(const any_object&)>& f) {
    if (e.new_object && f(e.new_object)) return true;
    return e.old_object && e.old_object != e.new_object && f(e.old_object);
}

KCONTROL_DECL predicate all_of(std::vector<predicate> predicates) {
    return [all = std::move(predicates)](const any_event& e) {
        return std::all_of(all.begin(), all.end(), [&e](const predicate& p) { return p(e); });
    };
}

KCONTROL_DECL predicate any_of(std::vector<predicate> predicates) {
    return [all = std::move(predicates)](const any_event& e) {
        return std::any_of(all.begin(), all.end(), [&e](const predicate& p) { return p(e); });
    };
}

KCONTROL_DECL predicate none_of(std::vector<predicate> predicates) {
    return [all = std::move(predicates)](const any_event& e) {
        return std::none_of(all.begin(), all.end(), [&e](const predicate& p) { return p(e); });
    };
}

}  // namespace detail

}  // namespace kcontrol

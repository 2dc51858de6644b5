#pragma once

#include <kcontrol/controller/predicate.hpp>

namespace kcontrol {
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

}  // namespace kcontrol

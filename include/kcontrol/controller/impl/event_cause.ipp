#pragma once

#include <kcontrol/controller/detail/event_cause.hpp>

namespace kcontrol::inline v0_1::detail {

inline bool changed_nothing(const any_event& e) {
    if (e.resync) return true;
    return e.type == event_type::updated && e.old_object && e.new_object &&
           e.old_object.meta().resource_version == e.new_object.meta().resource_version;
}

KCONTROL_DECL cause cause_of(const any_event& e, std::string_view kind) {
    cause out(cause_type::added, kind);
    if (e.type == event_type::added && e.initial) out.type = cause_type::initial;
    if (e.type == event_type::updated) out.type = changed_nothing(e) ? cause_type::resync : cause_type::updated;
    if (e.type == event_type::deleted) out.type = cause_type::deleted;
    if (e.type == event_type::generic) out.type = cause_type::generic;
    if (!e.object()) return out;
    out.namespace_ = e.object().meta().namespace_;
    out.name = e.object().meta().name;
    return out;
}

KCONTROL_DECL int priority_of(const any_event& e) {
    const bool listed = e.type == event_type::added && e.initial;
    return listed || changed_nothing(e) ? low_priority : 0;
}

}  // namespace kcontrol::detail

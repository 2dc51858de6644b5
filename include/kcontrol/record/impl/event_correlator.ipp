#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/record/event_correlator.hpp>

#include <initializer_list>
#include <string_view>

namespace kcontrol::inline v0_1 {
namespace detail {

// The separator is in no name, and would do no harm in a message, which comes last.
inline std::string event_key(std::initializer_list<std::string_view> parts) {
    std::string out;
    for (const std::string_view part : parts) out.append(part) += '\n';
    return out;
}

inline std::string event_object_key(const object_reference& object) {
    return event_key(
        {object.gvk.group, object.gvk.version, object.gvk.kind, object.key.namespace_, object.key.name, object.uid});
}

}  // namespace detail

KCONTROL_DECL event_correlator::event_correlator(event_limits limits)
    : limits_(limits), similar_(limits.remembered()), seen_(limits.remembered()), spam_(limits.remembered()) {}

KCONTROL_DECL event_decision event_correlator::take(const object_reference& regarding, const event_note& note,
                                                    time_point now, wall_time at) {
    const std::string object = detail::event_object_key(regarding);
    const std::string reason = object + detail::event_key({note.type(), note.reason()});
    event_decision out;
    out.message = note.message();
    out.key = reason;
    if (combine(reason, note.message(), now)) {
        out.message.insert(0, "(combined from similar events): ");
    } else {
        out.key += detail::event_key(
            {note.action(), note.related() ? detail::event_object_key(*note.related()) : "", note.message()});
    }
    seen_event& seen = seen_[out.key];
    if (seen.count++ == 0) seen.first = at;
    out.count = seen.count;
    out.first = seen.first;
    out.name = seen.name;
    out.write = take_token(object, now);
    return out;
}

KCONTROL_DECL void event_correlator::stored(const std::string& key, std::string name) {
    seen_[key].name = std::move(name);
}

KCONTROL_DECL void event_correlator::forget(const std::string& key) { seen_[key].name.clear(); }

KCONTROL_DECL bool event_correlator::combine(const std::string& key, const std::string& message, time_point now) {
    similar_notes& known = similar_[key];
    if (now - known.last > limits_.window()) known.messages.clear();
    known.last = now;
    known.messages.insert(message);
    if (known.messages.size() < limits_.similar()) return false;
    // Which one does not matter, only that the set stays small.
    known.messages.erase(known.messages.begin());
    return true;
}

KCONTROL_DECL bool event_correlator::take_token(const std::string& object, time_point now) {
    if (limits_.burst() == 0) return false;
    auto& limit = spam_[object];
    if (!limit) limit.emplace(limits_.burst(), limits_.period());
    return limit->take(now) == duration::zero();
}

}  // namespace kcontrol

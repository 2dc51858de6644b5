#include "pods/event_record.hpp"

#include <kcontrol/base/utf8.hpp>

#include <algorithm>

namespace training_monitor {

object_event observe(const event_record& event) {
    constexpr std::size_t most_text = 1024;
    object_event out;
    out.kind = event.involved_object.kind;
    out.name = event.involved_object.name;
    out.type = event.type;
    out.reason = event.reason;
    const std::string_view message =
        event.reason == "FailedScheduling" ? without_preemption(event.message) : std::string_view(event.message);
    out.message = kcontrol::utf8_prefix(message, most_text);
    out.count = std::max<std::int64_t>({1, event.count, event.series.count});
    // Who writes by the newer API leaves lastTimestamp empty.
    for (const std::string* time : {&event.series.last_observed_time, &event.last_timestamp, &event.event_time}) {
        if (!out.last_seen) out.last_seen = parse_rfc3339_seconds(*time);
    }
    if (!out.last_seen) out.last_seen = parse_rfc3339_seconds(event.metadata.creation_timestamp.str());
    return out;
}

void keep_newest(std::vector<object_event>& events, std::size_t most) {
    std::stable_sort(events.begin(), events.end(), [](const object_event& a, const object_event& b) {
        return a.last_seen.value_or(0) > b.last_seen.value_or(0);
    });
    if (events.size() > most) events.resize(most);
}

}  // namespace training_monitor

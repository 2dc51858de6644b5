#include "testserver/cluster_events.hpp"

#include "testserver/timestamp.hpp"

#include <chrono>
#include <cstdio>
#include <utility>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

constexpr auto correlation = std::chrono::minutes(10);  // client-go's

json::object reference_to(const json::value& object) {
    json::object out;
    for (const std::string_view name : {"apiVersion", "kind"}) out[name] = json::get_string(object, {name});
    for (const std::string_view name : {"name", "namespace", "uid"}) {
        const std::string_view found = json::get_string(object, {"metadata", name});
        if (!found.empty()) out[name] = found;
    }
    return out;
}

// "web-1.17ab3c": the object's name and the time in hexadecimal; `number` tells apart what has the same time.
std::string name_of_event(std::string_view about, wall_time now, std::uint64_t number) {
    const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch()).count();
    char text[20];
    std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(nanoseconds) + number);
    return std::string(about) + "." + text;
}

// As metav1.MicroTime is written.
std::string micro_time(wall_time when) {
    const auto all = std::chrono::duration_cast<std::chrono::microseconds>(when.time_since_epoch()).count();
    std::string digits = std::to_string(all % 1'000'000);
    digits.insert(0, 6 - digits.size(), '0');
    std::string out = format_timestamp(when);
    out.back() = '.';
    return out + digits + "Z";
}

}  // namespace
}  // namespace detail

json::value event_maker::make(const event_note& note, wall_time now) {
    std::erase_if(known_, [&](const auto& entry) { return entry.second.last + detail::correlation < now; });
    known_event& event = known_[{std::string(json::get_string(note.about, {"metadata", "uid"})), note.warning,
                                 note.reason, note.message, note.component}];
    const std::string time = format_timestamp(now);
    const std::string_view about = json::get_string(note.about, {"metadata", "name"});
    if (event.count++ == 0) {
        event.name = detail::name_of_event(about, now, made_++);
        event.first = time;
        event.first_micro = detail::micro_time(now);
    }
    event.last = now;
    json::object reference = detail::reference_to(note.about);
    json::object metadata;
    metadata["name"] = event.name;
    // Events about objects of no namespace are in this one.
    const json::value* ns = reference.if_contains("namespace");
    metadata["namespace"] = ns == nullptr ? json::value("default") : *ns;
    json::object out;
    out["apiVersion"] = "v1";
    out["kind"] = "Event";
    out["metadata"] = std::move(metadata);
    out["involvedObject"] = std::move(reference);
    out["reason"] = note.reason;
    out["message"] = note.message;
    out["type"] = note.warning ? "Warning" : "Normal";
    out["reportingComponent"] = note.component;
    out["reportingInstance"] = note.action.empty() ? std::string() : note.component + "-0";
    if (note.action.empty()) {
        out["source"].emplace_object()["component"] = note.component;
        out["firstTimestamp"] = event.first;
        out["lastTimestamp"] = time;
        out["count"] = event.count;
        return json::value(std::move(out));
    }
    out["action"] = note.action;
    out["eventTime"] = event.first_micro;
    if (event.count == 1) return json::value(std::move(out));
    json::object& series = out["series"].emplace_object();
    series["count"] = event.count;
    series["lastObservedTime"] = detail::micro_time(now);
    return json::value(std::move(out));
}

}  // namespace kcontrol::testing

// Events as the two APIs have them.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/api/events/v1.hpp>
#include <kcontrol/base/utf8.hpp>
#include <kcontrol/json/writer.hpp>
#include <kcontrol/record/event_recorder.hpp>

#include <limits>

namespace kcontrol::inline v0_1::detail {

/// A note with the moment it was taken.
class pending_event {
public:
    object_reference about;
    event_note note;
    time_point at;
    wall_time wall;
};

// The API's bounds are in bytes of UTF-8.
inline std::string cut_text(std::string text, std::size_t most) {
    if (text.size() <= most) return text;
    constexpr std::string_view more = "...";
    std::size_t end = 0;
    while (true) {
        const std::size_t length = std::max<std::size_t>(1, utf8_sequence_length(std::string_view(text).substr(end)));
        if (end + length > most - more.size()) break;
        end += length;
    }
    return text.substr(0, end).append(more);
}
inline constexpr std::size_t event_word_bytes = 128;
inline constexpr std::size_t event_message_bytes = 1024;

inline std::string event_namespace(const object_reference& about) {
    return about.key.namespace_.empty() ? "default" : about.key.namespace_;
}

// As client-go names them, but no longer than a name may be.
inline std::string event_name(const object_reference& about, std::uint64_t nanoseconds) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string hex;
    for (; nanoseconds != 0; nanoseconds >>= 4) hex.insert(hex.begin(), digits[nanoseconds & 15]);
    constexpr std::size_t name_bytes = 253;
    std::string name = about.key.name.substr(0, name_bytes - hex.size() - 1);
    while (!name.empty() && (name.back() == '.' || name.back() == '-')) name.pop_back();
    return name + "." + hex;
}

inline api::core::v1::object_reference event_reference(const object_reference& to) {
    api::core::v1::object_reference out;
    out.api_version = to.gvk.api_version();
    out.kind = to.gvk.kind;
    out.namespace_ = to.key.namespace_;
    out.name = to.key.name;
    out.uid = to.uid;
    out.resource_version = to.resource_version;
    return out;
}

inline void annotate(object_meta& meta, const event_note& note) {
    for (const auto& [key, value] : note.annotations()) meta.annotations[key] = value;
}

inline std::int32_t event_count(const event_decision& decision) {
    constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
    return static_cast<std::int32_t>(std::min(decision.count, most));
}

inline api::events::v1::event make_event(const pending_event& from, const event_decision& decision,
                                         const event_recorder_options& options, const std::string& name) {
    api::events::v1::event out;
    out.metadata.namespace_ = event_namespace(from.about);
    out.metadata.name = name;
    annotate(out.metadata, from.note);
    out.event_time = micro_time(decision.first);
    out.type = from.note.type();
    out.reason = cut_text(from.note.reason(), event_word_bytes);
    out.action = cut_text(from.note.action(), event_word_bytes);
    out.note = cut_text(decision.message, event_message_bytes);
    out.regarding = event_reference(from.about);
    if (from.note.related()) out.related = event_reference(*from.note.related());
    out.reporting_controller = options.controller();
    out.reporting_instance = cut_text(options.instance(), event_word_bytes);
    if (decision.count > 1) {
        api::events::v1::event_series series;
        series.count = event_count(decision);
        series.last_observed_time = micro_time(from.wall);
        out.series = std::move(series);
    }
    return out;
}

inline api::core::v1::event make_core_event(const pending_event& from, const event_decision& decision,
                                            const event_recorder_options& options, const std::string& name) {
    api::core::v1::event out;
    out.metadata.namespace_ = event_namespace(from.about);
    out.metadata.name = name;
    annotate(out.metadata, from.note);
    out.first_timestamp = decision.first;
    out.last_timestamp = from.wall;
    out.count = event_count(decision);
    out.type = from.note.type();
    out.reason = cut_text(from.note.reason(), event_word_bytes);
    out.action = cut_text(from.note.action(), event_word_bytes);
    out.message = cut_text(decision.message, event_message_bytes);
    out.involved_object = event_reference(from.about);
    if (from.note.related()) out.related = event_reference(*from.note.related());
    out.source.component = options.controller();
    out.source.host = options.instance();
    out.reporting_component = options.controller();
    out.reporting_instance = cut_text(options.instance(), event_word_bytes);
    return out;
}

// What is written when it comes again. The note of an Event of events.k8s.io/v1 can't be changed.
inline std::string event_patch(const pending_event& from, const event_decision& decision, bool core_v1) {
    json::writer out;
    out.begin_object();
    if (core_v1) {
        out.member("count", event_count(decision));
        out.member("lastTimestamp", format_time(from.wall));
        out.member("message", cut_text(decision.message, event_message_bytes));
    } else {
        out.key("series");
        out.begin_object();
        out.member("count", event_count(decision));
        out.member("lastObservedTime", micro_time(from.wall).to_string());
        out.end_object();
    }
    out.end_object();
    return out.take();
}

}  // namespace kcontrol::detail

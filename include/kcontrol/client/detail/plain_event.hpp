// The usual watch event: an object that was added, modified or deleted, written as API servers do.
#pragma once

#include <kcontrol/client/watch_stream.hpp>
#include <kcontrol/json/cursor_strings.hpp>
#include <kcontrol/model/resource.hpp>

#include <optional>
#include <string_view>

namespace kcontrol::detail {

inline std::optional<watch_event_type> watch_event_type_from(std::string_view name) {
    if (name == "ADDED") return watch_event_type::added;
    if (name == "MODIFIED") return watch_event_type::modified;
    if (name == "DELETED") return watch_event_type::deleted;
    if (name == "BOOKMARK") return watch_event_type::bookmark;
    if (name == "ERROR") return watch_event_type::error;
    return std::nullopt;
}

/// One such event, or nothing: then the frame is to be read in the general way, which says what is wrong with it.
inline std::optional<watch_event> read_plain_event(std::string_view frame, const resource_info& info,
                                                   share_pool* pool) {
    json::cursor text(frame);
    std::string_view name;
    bool escaped = false;
    if (!text.take("{\"type\":") || !text.take_string(name, escaped) || escaped) return std::nullopt;
    const auto type = watch_event_type_from(name);
    if (!type || *type == watch_event_type::bookmark || *type == watch_event_type::error) return std::nullopt;
    if (!text.take(",\"object\":")) return std::nullopt;
    any_object object = info.decode(text, pool);
    if (!object || !text.take('}') || text.left() != 0) return std::nullopt;
    watch_event event(*type);
    event.resource_version = object.meta().resource_version;
    event.object = std::move(object);
    return event;
}

}  // namespace kcontrol::detail

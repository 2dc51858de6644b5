// What the text of an object says of itself, for objects that do not decode.
#pragma once

#include <kcontrol/client/detail/frame.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::detail {

/// What can't be read is empty.
struct object_head {
    std::string_view metadata;  ///< the text of that member, if it is an object
    std::string namespace_;
    std::string name;
    std::string resource_version;
};

inline object_head read_head(std::string_view object) {
    object_head head;
    bool met = false;
    json::cursor in(object);
    read_members(in, [&](std::string_view name) {
        const std::string_view value = take_value(in);
        if (name == "metadata" && !std::exchange(met, true) && value.starts_with('{')) head.metadata = value;
        return !value.empty();
    });
    json::cursor meta(head.metadata);
    read_members(meta, [&](std::string_view name) {
        std::string other;
        std::string& to = name == "namespace"         ? head.namespace_
                          : name == "name"            ? head.name
                          : name == "resourceVersion" ? head.resource_version
                                                      : other;
        return take_text_or_other(meta, to);
    });
    return head;
}

}  // namespace kcontrol::detail

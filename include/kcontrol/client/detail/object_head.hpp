// What the text of an object says of itself, for objects that do not decode: the text may end in the middle.
#pragma once

#include <kcontrol/client/detail/answer.hpp>
#include <kcontrol/client/detail/frame.hpp>
#include <kcontrol/client/invalid_object.hpp>
#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/model/resource.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::detail {

/// What can't be read is empty.
struct object_head {
    std::string_view metadata;  ///< the text of that member, if it is an object, and whole
    std::string kind;
    std::string namespace_;
    std::string name;
    std::string uid;
    std::string resource_version;
};

inline bool read_head_metadata(json::cursor& in, object_head& head) {
    return read_members(in, [&](std::string_view name) {
        std::string other;
        std::string& to = name == "namespace"         ? head.namespace_
                          : name == "name"            ? head.name
                          : name == "uid"             ? head.uid
                          : name == "resourceVersion" ? head.resource_version
                                                      : other;
        return take_text_or_other(in, to);
    });
}

inline object_head read_head(json::cursor in) {
    object_head head;
    bool met = false;
    read_members(in, [&](std::string_view name) {
        if (name == "kind" && head.kind.empty()) return take_text_or_other(in, head.kind);
        if (name != "metadata" || in.front() != '{' || std::exchange(met, true)) return !take_value(in).empty();
        const char* const first = in.at();
        if (!read_head_metadata(in, head)) return false;
        head.metadata = {first, static_cast<std::size_t>(in.at() - first)};
        return true;
    });
    return head;
}

inline object_head read_head(std::string_view object) { return read_head(json::cursor(object)); }

/// The whole metadata if they decode, else what the head has of them.
inline object_meta readable_metadata(const object_head& head) {
    static const resource_info metadata_only = metadata_resource({"", "v1", "PartialObjectMetadata"}, "");
    if (!head.metadata.empty()) {
        const auto decoded = metadata_only.decode_text("{\"metadata\":" + std::string(head.metadata) + "}");
        if (decoded) return decoded->meta();
    }
    // Longer than any name that a server takes, and so a name of nothing.
    constexpr std::size_t longest = 512;
    object_meta meta;
    meta.namespace_ = server_text(head.namespace_, longest);
    meta.name = server_text(head.name, longest);
    meta.uid = server_text(head.uid, longest);
    meta.resource_version = server_text(head.resource_version, longest);
    return meta;
}

inline invalid_object make_invalid(const object_head& head, error why) {
    return {readable_metadata(head), std::move(why)};
}

}  // namespace kcontrol::detail

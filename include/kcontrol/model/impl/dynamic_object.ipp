#pragma once

#include <kcontrol/model/codec.hpp>
#include <kcontrol/model/dynamic_object.hpp>

namespace kcontrol {
namespace detail {

inline json::value to_dynamic_value(json::node from) {
    switch (from.kind()) {
    case json::kind::null: return nullptr;
    case json::kind::boolean: return from.as_bool();
    case json::kind::integer: return from.as_int64();
    case json::kind::unsigned_integer: return from.as_uint64();
    case json::kind::number: return from.as_double();
    case json::kind::string: return json::value(from.as_string());
    case json::kind::array: {
        json::array list;
        list.reserve(from.size());
        for (const json::node element : from.elements()) list.push_back(to_dynamic_value(element));
        return list;
    }
    case json::kind::object: break;
    }
    json::object members;
    members.reserve(from.size());
    for (const auto member : from.members()) members[member.name] = to_dynamic_value(member.value);
    return members;
}

inline result<any_object> decode_dynamic(json::node from, share_pool*) {
    if (!from.is_object()) return error(errc::decode_failed, "expected an object");
    auto object = std::make_shared<dynamic_object>();
    if (const json::node meta = from["metadata"]; !meta.is_null()) {
        const auto done = decode(describe<object_meta>(), meta, &object->metadata);
        if (!done) return error(errc::decode_failed, "metadata." + done.error().message());
    }
    object->content = std::move(to_dynamic_value(from).as_object());
    return any_object(std::shared_ptr<const dynamic_object>(std::move(object)));
}

// Writes into the JSON those fields of the metadata in which the two differ.
inline void overlay_metadata(json::object& content, const object_meta& wanted) {
    json::value& place = content["metadata"];
    if (!place.is_object()) place.emplace_object();
    object_meta present;
    // Metadata in `content` that does not read back was put there by hand: then all of it is written anew.
    const auto readable = decode_text(describe<object_meta>(), json::serialize(place), &present);
    if (!readable) present = {};
    const auto& type = describe<object_meta>();
    for (std::size_t i = 0; i < type.field_count; ++i) {
        const auto& field = type.fields[i];
        const void* mine = field.place(static_cast<const void*>(&wanted));
        if (readable && equal(*field.type, field.place(static_cast<const void*>(&present)), mine)) continue;
        if (is_left_out(*field.type, mine)) {
            place.get_object().erase(field.name);
            continue;
        }
        auto value = json::parse(encode_text(*field.type, mine));
        if (value) place.get_object()[field.name] = std::move(*value);
    }
}

inline std::string encode_dynamic(const any_object& object, const resource_info& info) {
    const auto self = object.as<dynamic_object>();
    json::value whole = self->content;
    auto& members = whole.get_object();
    if (!members.contains("apiVersion")) members["apiVersion"] = info.gvk.api_version();
    if (!members.contains("kind")) members["kind"] = info.gvk.kind;
    overlay_metadata(members, self->metadata);
    return json::serialize(whole);
}

}  // namespace detail

KCONTROL_DECL group_version_kind dynamic_object::gvk() const {
    const auto text = [&](std::string_view name) {
        const auto* value = content.if_contains(name);
        return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
    };
    std::string version = text("apiVersion");
    std::string group;
    if (const auto slash = version.find('/'); slash != std::string::npos) {
        group = version.substr(0, slash);
        version.erase(0, slash + 1);
    }
    return {std::move(group), std::move(version), text("kind")};
}

KCONTROL_DECL resource_info dynamic_resource(group_version_kind gvk, std::string plural, resource_scope scope) {
    return {std::move(gvk), std::move(plural), scope, detail::decode_dynamic, detail::encode_dynamic};
}

}  // namespace kcontrol

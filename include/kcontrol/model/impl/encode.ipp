#pragma once

#include <kcontrol/json/writer.hpp>
#include <kcontrol/model/type_descriptor.hpp>

namespace kcontrol {
namespace detail {

inline void encode_fields(const type_descriptor& type, const void* object, json::writer& to) {
    for (std::size_t i = 0; i < type.field_count; ++i) {
        const field_descriptor& field = type.fields[i];
        // access() and at() only find the place; they are declared for the decoder, which writes there.
        const void* member = field.access(const_cast<void*>(object));
        if (is_left_out(*field.type, member)) continue;
        to.key(field.name);
        kcontrol::encode(*field.type, member, to);
    }
}

struct encode_map_context {
    const type_descriptor& element;
    json::writer& to;
};

inline void encode_map_entry(void* context, const std::string& key, const void* value) {
    auto& self = *static_cast<encode_map_context*>(context);
    self.to.key(key);
    kcontrol::encode(self.element, value, self.to);
}

}  // namespace detail

KCONTROL_DECL bool detail::is_left_out(const type_descriptor& type, const void* object) {
    switch (type.kind) {
    case type_kind::optional: return type.optional->get(object) == nullptr;
    case type_kind::string: return static_cast<const std::string*>(object)->empty();
    case type_kind::list: return type.list->size(object) == 0;
    case type_kind::map: return type.map->size(object) == 0;
    case type_kind::custom: return type.custom->empty(object);
    default: return false;
    }
}

KCONTROL_DECL void encode(const type_descriptor& type, const void* object, json::writer& to) {
    switch (type.kind) {
    case type_kind::boolean: to.value(*static_cast<const bool*>(object)); break;
    case type_kind::int32: to.value(*static_cast<const std::int32_t*>(object)); break;
    case type_kind::int64: to.value(*static_cast<const std::int64_t*>(object)); break;
    case type_kind::number: to.value(*static_cast<const double*>(object)); break;
    case type_kind::string: to.value(*static_cast<const std::string*>(object)); break;
    case type_kind::optional:
        if (const void* value = type.optional->get(object)) {
            encode(*type.element, value, to);
        } else {
            to.null();
        }
        break;
    case type_kind::list: {
        to.begin_array();
        const std::size_t size = type.list->size(object);
        for (std::size_t i = 0; i < size; ++i) encode(*type.element, type.list->at(const_cast<void*>(object), i), to);
        to.end_array();
        break;
    }
    case type_kind::map: {
        to.begin_object();
        detail::encode_map_context context{*type.element, to};
        type.map->visit(object, &context, detail::encode_map_entry);
        to.end_object();
        break;
    }
    case type_kind::structure:
        to.begin_object();
        detail::encode_fields(type, object, to);
        to.end_object();
        break;
    case type_kind::custom: type.custom->encode(object, to); break;
    }
}

KCONTROL_DECL std::string detail::encode_text(const type_descriptor& type, const void* object) {
    json::writer to;
    kcontrol::encode(type, object, to);
    return to.take();
}

KCONTROL_DECL std::string detail::encode_object(const type_descriptor& type, std::string_view api_version,
                                                std::string_view kind, const void* object) {
    json::writer to;
    to.begin_object();
    to.member("apiVersion", api_version);
    to.member("kind", kind);
    encode_fields(type, object, to);
    to.end_object();
    return to.take();
}

}  // namespace kcontrol

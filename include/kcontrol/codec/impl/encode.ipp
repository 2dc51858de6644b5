#pragma once

#include <kcontrol/codec/encode.hpp>
#include <kcontrol/json/writer.hpp>
#include <kcontrol/values/containers.hpp>
#include <kcontrol/values/int_or_string.hpp>
#include <kcontrol/values/raw_json.hpp>
#include <kcontrol/values/text.hpp>
#include <kcontrol/values/timestamp.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1 {
namespace detail {

inline void encode_fields(const type_descriptor& type, const void* object, json::writer& to) {
    for (std::size_t i = 0; i < type.field_count; ++i) {
        const field_descriptor& field = type.fields[i];
        const void* member = field.place(object);
        if (!field.required && is_left_out(*field.type, member)) continue;
        to.key(field.name);
        kcontrol::encode(*field.type, member, to);
    }
}

inline bool is_absent(const void* handle) noexcept { return *static_cast<const handle_word*>(handle) == 0; }

inline void encode_int_or_string(const int_or_string& value, json::writer& to) {
    if (value.is_string()) {
        to.value(value.as_string());
    } else {
        to.value(value.as_int());
    }
}

/// What is required and absent is written as the empty value of its type.
inline void encode_raw(const raw_json& value, json::writer& to) {
    if (value.empty()) {
        to.null();
    } else {
        to.raw(value.text());
    }
}

inline void encode_time(const timestamp& at, bool fraction, json::writer& to) {
    if (!at.present()) {
        to.null();
    } else {
        to.value(fraction ? format_micro_time(at.value()) : format_time(at.value()));
    }
}

struct encode_map_context {
    const type_descriptor& element;
    json::writer& to;
};

inline void encode_map_entry(void* context, std::string_view key, const void* value) {
    auto& self = *static_cast<encode_map_context*>(context);
    self.to.key(key);
    kcontrol::encode(self.element, value, self.to);
}

}  // namespace detail

KCONTROL_DECL bool detail::is_left_out(const type_descriptor& type, const void* object) {
    switch (type.kind) {
    case type_kind::optional:
        return detail::optional_get(type, object) == nullptr && !detail::optional_is_null(type, object);
    case type_kind::string: return static_cast<const std::string*>(object)->empty();
    case type_kind::text:
    case type_kind::quantity:
    case type_kind::raw: return !static_cast<const text*>(object)->present();
    case type_kind::timestamp:
    case type_kind::microseconds: return !static_cast<const timestamp*>(object)->present();
    // A handle says whether there is a list; a std::vector can't.
    case type_kind::list: return type.handle ? is_absent(object) : detail::list_size(type, object) == 0;
    case type_kind::map: return type.handle ? is_absent(object) : detail::map_size(type, object) == 0;
    case type_kind::custom: return type.custom->empty(object);
    case type_kind::structure:
        return std::all_of(type.fields, type.fields + type.field_count, [&](const field_descriptor& field) {
            return !field.required && is_left_out(*field.type, field.place(object));
        });
    case type_kind::boolean:
    case type_kind::int32:
    case type_kind::int64:
    case type_kind::number:
    case type_kind::int_or_string: break;
    }
    return false;
}

KCONTROL_DECL void encode(const type_descriptor& type, const void* object, json::writer& to) {
    switch (type.kind) {
    case type_kind::boolean: to.value(*static_cast<const bool*>(object)); break;
    case type_kind::int32: to.value(*static_cast<const std::int32_t*>(object)); break;
    case type_kind::int64: to.value(*static_cast<const std::int64_t*>(object)); break;
    case type_kind::number: to.value(*static_cast<const double*>(object)); break;
    case type_kind::string: to.value(*static_cast<const std::string*>(object)); break;
    case type_kind::text:
    case type_kind::quantity: to.value(static_cast<const text*>(object)->view()); break;
    case type_kind::raw: detail::encode_raw(*static_cast<const raw_json*>(object), to); break;
    case type_kind::int_or_string: detail::encode_int_or_string(*static_cast<const int_or_string*>(object), to); break;
    case type_kind::timestamp: detail::encode_time(*static_cast<const timestamp*>(object), false, to); break;
    case type_kind::microseconds: detail::encode_time(*static_cast<const timestamp*>(object), true, to); break;
    case type_kind::optional:
        if (const void* value = detail::optional_get(type, object)) {
            encode(*type.element, value, to);
        } else {
            to.null();
        }
        break;
    case type_kind::list: {
        to.begin_array();
        const std::size_t size = detail::list_size(type, object);
        for (std::size_t i = 0; i < size; ++i) encode(*type.element, detail::list_at(type, object, i), to);
        to.end_array();
        break;
    }
    case type_kind::map: {
        to.begin_object();
        detail::encode_map_context context{*type.element, to};
        detail::map_visit(type, object, &context, detail::encode_map_entry);
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

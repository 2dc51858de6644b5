#pragma once

#include <kcontrol/codec/encode.hpp>
#include <kcontrol/codec/impl/node_decoder.hpp>
#include <kcontrol/codec/object_bytes.hpp>
#include <kcontrol/values/containers.hpp>
#include <kcontrol/values/text.hpp>
#include <kcontrol/values/type_descriptor.hpp>

#include <memory>
#include <string>

namespace kcontrol::inline v0_1 {
namespace detail {

inline std::size_t heap_bytes(const type_descriptor& type, const void* value);

struct heap_sum {
    const type_descriptor& element;
    std::size_t bytes = 0;
};

inline void add_map_entry(void* context, std::string_view key, const void* value) {
    auto& sum = *static_cast<heap_sum*>(context);
    sum.bytes += key.size() + sum.element.size + heap_bytes(sum.element, value);
}

// Beside what is inside the value itself.
inline std::size_t heap_bytes(const type_descriptor& type, const void* value) {
    switch (type.kind) {
    case type_kind::boolean:
    case type_kind::int32:
    case type_kind::int64:
    case type_kind::number:
    case type_kind::timestamp:
    case type_kind::microseconds: return 0;
    case type_kind::string: {
        const auto& text = *static_cast<const std::string*>(value);
        const bool inside = text.capacity() <= std::string().capacity();
        return inside ? 0 : text.capacity() + 1;
    }
    case type_kind::text:
    case type_kind::quantity:
    case type_kind::raw:
    case type_kind::int_or_string:  // begins with its text
        return static_cast<const text*>(value)->view().size();
    case type_kind::optional: {
        const void* const inner = optional_get(type, value);
        if (inner == nullptr) return 0;
        return heap_bytes(*type.element, inner) + (type.handle ? type.element->size : 0);
    }
    case type_kind::list: {
        std::size_t bytes = 0;
        const std::size_t size = list_size(type, value);
        for (std::size_t i = 0; i < size; ++i) {
            bytes += type.element->size + heap_bytes(*type.element, list_at(type, value, i));
        }
        return bytes;
    }
    case type_kind::map: {
        heap_sum sum{*type.element};
        map_visit(type, value, &sum, add_map_entry);
        return sum.bytes;
    }
    case type_kind::structure: {
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < type.field_count; ++i) {
            bytes += heap_bytes(*type.fields[i].type, type.fields[i].place(value));
        }
        return bytes;
    }
    case type_kind::custom: return encode_text(type, value).size();
    }
    return 0;
}

}  // namespace detail

KCONTROL_DECL std::size_t object_bytes(const any_object& object, const resource_info& info) {
    if (!object) return 0;
    if (const auto* const block = std::get_deleter<detail::block_deleter>(object.shared())) {
        return detail::block_allocator<char>::room + block->size;
    }
    if (info.type == nullptr || !object.is(*info.type)) return 0;
    return info.type->size + detail::heap_bytes(*info.type, object.address());
}

}  // namespace kcontrol

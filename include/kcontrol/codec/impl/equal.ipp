#pragma once

#include <kcontrol/codec/equal.hpp>
#include <kcontrol/values/containers.hpp>
#include <kcontrol/values/int_or_string.hpp>
#include <kcontrol/values/text.hpp>
#include <kcontrol/values/timestamp.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1 {
namespace detail {

struct equal_map_context {
    const type_descriptor& type;
    const void* other;
    bool equal;
};

inline void compare_map_entry(void* context, std::string_view key, const void* value) {
    auto& self = *static_cast<equal_map_context*>(context);
    if (!self.equal) return;
    const void* other = detail::map_find(self.type, self.other, key);
    self.equal = other != nullptr && kcontrol::equal(*self.type.element, value, other);
}

template <class T>
bool equal_values(const void* a, const void* b) {
    return *static_cast<const T*>(a) == *static_cast<const T*>(b);
}

}  // namespace detail

KCONTROL_DECL bool equal(const type_descriptor& type, const void* a, const void* b) {
    // Two handles on the same memory; common where objects share parts.
    if (type.handle && *static_cast<const detail::handle_word*>(a) == *static_cast<const detail::handle_word*>(b)) {
        return true;
    }
    switch (type.kind) {
    case type_kind::boolean: return detail::equal_values<bool>(a, b);
    case type_kind::int32: return detail::equal_values<std::int32_t>(a, b);
    case type_kind::int64: return detail::equal_values<std::int64_t>(a, b);
    case type_kind::number: return detail::equal_values<double>(a, b);
    case type_kind::string: return detail::equal_values<std::string>(a, b);
    case type_kind::text:
    case type_kind::quantity:
    case type_kind::raw: return detail::equal_values<text>(a, b);
    case type_kind::int_or_string: return detail::equal_values<int_or_string>(a, b);
    case type_kind::timestamp:
    case type_kind::microseconds: return detail::equal_values<timestamp>(a, b);
    case type_kind::optional: {
        const void* left = detail::optional_get(type, a);
        const void* right = detail::optional_get(type, b);
        if (left == nullptr || right == nullptr) {
            return left == right && detail::optional_is_null(type, a) == detail::optional_is_null(type, b);
        }
        return equal(*type.element, left, right);
    }
    case type_kind::list: {
        const std::size_t size = detail::list_size(type, a);
        if (size != detail::list_size(type, b)) return false;
        for (std::size_t i = 0; i < size; ++i) {
            if (!equal(*type.element, detail::list_at(type, a, i), detail::list_at(type, b, i))) return false;
        }
        return true;
    }
    case type_kind::map: {
        if (detail::map_size(type, a) != detail::map_size(type, b)) return false;
        detail::equal_map_context context{type, b, true};
        detail::map_visit(type, a, &context, detail::compare_map_entry);
        return context.equal;
    }
    case type_kind::structure:
        for (std::size_t i = 0; i < type.field_count; ++i) {
            const field_descriptor& field = type.fields[i];
            if (!equal(*field.type, field.place(a), field.place(b))) return false;
        }
        return true;
    case type_kind::custom: return type.custom->equal(a, b);
    }
    return false;
}

}  // namespace kcontrol

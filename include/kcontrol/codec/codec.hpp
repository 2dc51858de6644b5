// to_json, from_json, equal: a described type as a whole.
#pragma once

#include <kcontrol/codec/encode.hpp>
#include <kcontrol/codec/equal.hpp>
#include <kcontrol/codec/resource_of.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// The JSON of a value. A resource has its apiVersion and kind.
template <class T>
std::string to_json(const T& value) {
    if constexpr (detail::has_resource_name<T>) {
        const auto& info = resource_of<T>();
        return detail::encode_object(describe<T>(), info.gvk.api_version(), info.gvk.kind, &value);
    } else {
        return detail::encode_text(describe<T>(), &value);
    }
}

/// A value from its JSON. Errors: decode_failed, with the path of the wrong member, or what is wrong with the text.
template <class T>
result<T> from_json(std::string_view text) {
    T value{};
    const auto done = detail::decode_text(describe<T>(), text, &value);
    if (!done) return done.error();
    return value;
}

/// Whether all listed fields are equal; the struct needs no operator==.
template <class T>
bool equal(const T& a, const T& b) {
    return equal(describe<T>(), &a, &b);
}

}  // namespace kcontrol

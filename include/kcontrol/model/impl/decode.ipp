#pragma once

#include <kcontrol/model/detail/containers.hpp>
#include <kcontrol/model/impl/decode_error.ipp>
#include <kcontrol/model/impl/field_lookup.ipp>
#include <kcontrol/model/int_or_string.hpp>
#include <kcontrol/model/quantity_text.hpp>
#include <kcontrol/model/raw_json.hpp>
#include <kcontrol/model/text.hpp>
#include <kcontrol/model/timestamp.hpp>
#include <kcontrol/model/type_descriptor.hpp>

#include <limits>

namespace kcontrol {
namespace detail {

/// Walks a document and a table side by side. For objects that own their parts, one by one.
class model_decoder : public decode_failure {
public:
    bool decode(const type_descriptor& type, json::node from, void* out) {
        if (from.is_null()) return true;
        switch (type.kind) {
        case type_kind::boolean: return decode_bool(from, *static_cast<bool*>(out));
        case type_kind::int32: return decode_integer(from, *static_cast<std::int32_t*>(out));
        case type_kind::int64: return decode_integer(from, *static_cast<std::int64_t*>(out));
        case type_kind::number: return decode_number(from, *static_cast<double*>(out));
        case type_kind::string: return decode_string(from, *static_cast<std::string*>(out));
        case type_kind::text: return decode_string(from, *static_cast<text*>(out));
        case type_kind::quantity: return decode_quantity(from, *static_cast<quantity_text*>(out));
        case type_kind::timestamp:
        case type_kind::microseconds: return decode_time(from, *static_cast<timestamp*>(out));
        case type_kind::int_or_string: return decode_int_or_string(from, *static_cast<int_or_string*>(out));
        case type_kind::raw: return *static_cast<raw_json*>(out) = raw_json::from(from), true;
        case type_kind::optional: return decode(*type.element, from, detail::optional_emplace(type, out));
        case type_kind::list: return decode_list(type, from, out);
        case type_kind::map: return decode_map(type, from, out);
        case type_kind::structure: return decode_structure(type, from, out);
        case type_kind::custom: return decode_custom(type, from, out);
        }
        return false;
    }

private:
    bool decode_bool(json::node from, bool& out) {
        if (from.kind() != json::kind::boolean) return mismatch("true or false", from);
        out = from.as_bool();
        return true;
    }

    template <class Integer>
    bool decode_integer(json::node from, Integer& out) {
        constexpr auto low = std::numeric_limits<Integer>::min();
        constexpr auto high = std::numeric_limits<Integer>::max();
        const auto kind = from.kind();
        if (kind == json::kind::integer) {
            const std::int64_t value = from.as_int64();
            if (value >= low && value <= high) {
                out = static_cast<Integer>(value);
                return true;
            }
        }
        return not_integer<Integer>(from);
    }

    bool decode_number(json::node from, double& out) {
        if (!is_number(from)) return mismatch("a number", from);
        out = from.as_double();
        return true;
    }

    template <class String>
    bool decode_string(json::node from, String& out) {
        if (!from.is_string()) return mismatch("a string", from);
        out = from.as_string();
        return true;
    }

    bool decode_quantity(json::node from, quantity_text& out) {
        if (!from.is_string() && !is_number(from)) return mismatch("a quantity such as \"500m\" or 2", from);
        out = from.is_string() ? text(from.as_string()) : text(from.to_json());
        return true;
    }

    bool decode_time(json::node from, timestamp& out) {
        const auto parsed = parse_time(from.is_string() ? from.as_string() : std::string_view());
        if (!parsed) return mismatch("a time such as 2006-01-02T15:04:05Z", from);
        out = *parsed;
        return true;
    }

    bool decode_int_or_string(json::node from, int_or_string& out) {
        std::int32_t number = 0;
        if (from.is_string()) {
            out = from.as_string();
            return true;
        }
        if (from.kind() != json::kind::integer) return mismatch("an integer or a string", from);
        if (!decode_integer(from, number)) return false;
        out = number;
        return true;
    }

    bool decode_list(const type_descriptor& type, json::node from, void* out) {
        if (!from.is_array()) return mismatch("a list", from);
        detail::list_renew(type, out, from.size());
        std::size_t index = 0;
        for (const json::node element : from.elements()) {
            if (!decode(*type.element, element, detail::list_at(type, out, index))) return at_index(index);
            ++index;
        }
        return true;
    }

    bool decode_map(const type_descriptor& type, json::node from, void* out) {
        if (!from.is_object()) return mismatch("an object", from);
        detail::map_clear(type, out);
        for (const auto member : from.members()) {
            if (!decode(*type.element, member.value, detail::map_insert(type, out, member.name)))
                return at_key(member.name);
        }
        return true;
    }

    bool decode_structure(const type_descriptor& type, json::node from, void* out) {
        if (!from.is_object()) return mismatch("an object", from);
        // Members mostly come in the order of the table: look for each where the last one was found, then all around.
        std::size_t hint = 0;
        for (const auto member : from.members()) {
            const auto* field = find_field(type, member.name, hint);
            if (field == nullptr) continue;
            if (!decode(*field->type, member.value, field->place(out))) return at_member(field->name);
        }
        return true;
    }

    bool decode_custom(const type_descriptor& type, json::node from, void* out) {
        auto done = type.custom->decode(from, out);
        if (done) return true;
        return say(done.error().what());
    }
};

}  // namespace detail

KCONTROL_DECL result<void> decode(const type_descriptor& type, json::node from, void* out) {
    detail::model_decoder decoder;
    // Inside an object null is as good as absent; alone it is not an object.
    const bool missing = type.kind == type_kind::structure && from.is_null();
    const bool done = missing ? decoder.mismatch("an object", from) : decoder.decode(type, from, out);
    if (!done) return decoder.failure();
    return {};
}

KCONTROL_DECL result<void> detail::decode_text(const type_descriptor& type, std::string_view text, void* out) {
    json::document document;
    const auto root = document.parse(text);
    if (!root) return root.error();
    return kcontrol::decode(type, *root, out);
}

}  // namespace kcontrol

#pragma once

#include <kcontrol/base/thrown.hpp>
#include <kcontrol/codec/decode.hpp>
#include <kcontrol/codec/detail/block_builder.hpp>
#include <kcontrol/codec/impl/decode_error.hpp>
#include <kcontrol/codec/impl/field_lookup.hpp>
#include <kcontrol/codec/share_pool.hpp>
#include <kcontrol/values/containers.hpp>
#include <kcontrol/values/int_or_string.hpp>
#include <kcontrol/values/quantity_text.hpp>
#include <kcontrol/values/raw_json.hpp>
#include <kcontrol/values/text.hpp>
#include <kcontrol/values/timestamp.hpp>

#include <new>

namespace kcontrol::inline v0_1 {
namespace detail {

/// Walks a document and a table side by side. For objects that own their parts, one by one.
class owning_decoder : public decode_failure {
public:
    bool decode(const type_descriptor& type, json::node from, void* out) {
        if (from.is_null()) {
            optional_set_null(type, out);
            return true;
        }
        switch (type.kind) {
        case type_kind::boolean: return read(from, *static_cast<bool*>(out));
        case type_kind::int32: return read(from, *static_cast<std::int32_t*>(out));
        case type_kind::int64: return read(from, *static_cast<std::int64_t*>(out));
        case type_kind::number: return read(from, *static_cast<double*>(out));
        case type_kind::string: return decode_string(from, *static_cast<std::string*>(out));
        case type_kind::text: return decode_string(from, *static_cast<text*>(out));
        case type_kind::quantity: return decode_quantity(from, *static_cast<quantity_text*>(out));
        case type_kind::timestamp:
        case type_kind::microseconds: return read(from, *static_cast<timestamp*>(out));
        case type_kind::int_or_string: return decode_int_or_string(from, *static_cast<int_or_string*>(out));
        case type_kind::raw: return decode_raw(from, *static_cast<raw_json*>(out));
        case type_kind::optional: return decode(*type.element, from, detail::optional_emplace(type, out));
        case type_kind::list: return decode_list(type, from, out);
        case type_kind::map: return decode_map(type, from, out);
        case type_kind::structure: return decode_structure(type, from, out);
        case type_kind::custom: return decode_custom(type, from, out);
        }
        return false;
    }

private:
    template <class String>
    bool decode_string(json::node from, String& out) {
        if (!from.is_string()) return mismatch("a string", from);
        out = from.as_string();
        return true;
    }

    bool decode_quantity(json::node from, quantity_text& out) {
        if (!check_quantity(from)) return false;
        out = from.is_string() ? text(from.as_string()) : text(from.to_json());
        return true;
    }

    bool decode_int_or_string(json::node from, int_or_string& out) {
        std::int32_t number = 0;
        if (!read_unless_string(from, number)) return false;
        if (from.is_string()) {
            out = from.as_string();
        } else {
            out = number;
        }
        return true;
    }

    bool decode_raw(json::node from, raw_json& out) {
        out = raw_json::from(from);
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
            void* const value = detail::map_insert(type, out, member.name);
            if (!decode(*type.element, member.value, value)) return at_key(member.name);
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
        try {
            const auto done = type.custom->decode(from, out);
            return done || say(done.error().what());
        } catch (const std::bad_alloc&) {
            throw;
        } catch (...) {
            return say("its custom_codec threw: " + describe_thrown());
        }
    }
};

}  // namespace detail

KCONTROL_DECL result<void> decode(const type_descriptor& type, json::node from, void* out) {
    detail::owning_decoder decoder;
    // Inside an object null is as good as absent; alone it is not an object.
    const bool missing = type.kind == type_kind::structure && from.is_null();
    const bool done = missing ? decoder.mismatch("an object", from) : decoder.decode(type, from, out);
    if (!done) return decoder.failure();
    return {};
}

KCONTROL_DECL result<void> detail::decode_text(const type_descriptor& type, std::string_view text, void* out,
                                               share_pool* pool) {
    json::document own;
    const auto root = pool != nullptr ? pool->workspace().parse(text) : own.parse(text);
    if (!root) return root.error();
    return kcontrol::decode(type, *root, out);
}

}  // namespace kcontrol

#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/model/type_descriptor.hpp>

#include <cstring>
#include <limits>

namespace kcontrol {
namespace detail {

/// Walks a document and a table side by side. The path of a failure is put together on the way back from it, so that
/// success does not pay for it.
class model_decoder {
public:
    bool decode(const type_descriptor& type, json::node from, void* out) {
        if (from.is_null()) return true;
        switch (type.kind) {
        case type_kind::boolean: return decode_bool(from, *static_cast<bool*>(out));
        case type_kind::int32: return decode_integer(from, *static_cast<std::int32_t*>(out));
        case type_kind::int64: return decode_integer(from, *static_cast<std::int64_t*>(out));
        case type_kind::number: return decode_number(from, *static_cast<double*>(out));
        case type_kind::string: return decode_string(from, *static_cast<std::string*>(out));
        case type_kind::optional: return decode(*type.element, from, type.optional->emplace(out));
        case type_kind::list: return decode_list(type, from, out);
        case type_kind::map: return decode_map(type, from, out);
        case type_kind::structure: return decode_structure(type, from, out);
        case type_kind::custom: return decode_custom(type, from, out);
        }
        return false;
    }

    bool mismatch(std::string_view expected, json::node found) {
        message_ = "expected " + std::string(expected) + ", found " + describe_found(found);
        return false;
    }

    error failure() const {
        if (path_.empty()) return error(errc::decode_failed, message_);
        return error(errc::decode_failed, path_.substr(path_.front() == '.' ? 1 : 0) + ": " + message_);
    }

private:
    static std::string describe_found(json::node found) {
        switch (found.kind()) {
        case json::kind::null: return "null";
        case json::kind::boolean: return found.as_bool() ? "true" : "false";
        case json::kind::integer: return "the integer " + std::to_string(found.as_int64());
        case json::kind::unsigned_integer: return "the integer " + std::to_string(found.as_uint64());
        case json::kind::number: {
            const std::string digits = found.to_json();
            const bool looks_whole = digits.find_first_of(".e") == std::string::npos;
            return "the number " + digits + (looks_whole ? ".0" : "");
        }
        case json::kind::array: return "a list";
        case json::kind::object: return "an object";
        case json::kind::string: break;
        }
        static constexpr std::size_t shown = 40;
        const auto text = found.as_string();
        std::size_t end = text.size() > shown ? shown : text.size();
        while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
        return "the string \"" + escape_control(text.substr(0, end)) + (end < text.size() ? "…\"" : "\"");
    }

    bool at_member(std::string_view name) {
        path_.insert(0, "." + std::string(name));
        return false;
    }

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
        if (kind != json::kind::integer && kind != json::kind::unsigned_integer) return mismatch("an integer", from);
        return mismatch("an integer between " + std::to_string(low) + " and " + std::to_string(high), from);
    }

    bool decode_number(json::node from, double& out) {
        const auto kind = from.kind();
        if (kind != json::kind::number && kind != json::kind::integer && kind != json::kind::unsigned_integer) {
            return mismatch("a number", from);
        }
        out = from.as_double();
        return true;
    }

    bool decode_string(json::node from, std::string& out) {
        if (!from.is_string()) return mismatch("a string", from);
        out = from.as_string();
        return true;
    }

    bool decode_list(const type_descriptor& type, json::node from, void* out) {
        if (!from.is_array()) return mismatch("a list", from);
        type.list->renew(out, from.size());
        std::size_t index = 0;
        for (const json::node element : from.elements()) {
            if (!decode(*type.element, element, type.list->at(out, index))) {
                path_.insert(0, "[" + std::to_string(index) + "]");
                return false;
            }
            ++index;
        }
        return true;
    }

    bool decode_map(const type_descriptor& type, json::node from, void* out) {
        if (!from.is_object()) return mismatch("an object", from);
        type.map->clear(out);
        for (const auto member : from.members()) {
            if (!decode(*type.element, member.value, type.map->insert(out, member.name))) {
                path_.insert(0, "[" + escape_control(member.name) + "]");
                return false;
            }
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
            if (!decode(*field->type, member.value, field->access(out))) return at_member(field->name);
        }
        return true;
    }

    static const field_descriptor* find_field(const type_descriptor& type, std::string_view name, std::size_t& hint) {
        std::size_t at = hint;
        for (std::size_t tried = 0; tried < type.field_count; ++tried) {
            const field_descriptor& field = type.fields[at];
            at = at + 1 == type.field_count ? 0 : at + 1;
            if (field.name.size() == name.size() && std::memcmp(field.name.data(), name.data(), name.size()) == 0) {
                hint = at;
                return &field;
            }
        }
        return nullptr;
    }

    bool decode_custom(const type_descriptor& type, json::node from, void* out) {
        auto done = type.custom->decode(from, out);
        if (done) return true;
        message_ = done.error().what();
        return false;
    }

    std::string path_;
    std::string message_;
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

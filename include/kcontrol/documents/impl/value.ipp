#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/json/reader.hpp>
#include <kcontrol/json/writer.hpp>

#include <boost/json/stream_parser.hpp>

#include <cmath>

namespace kcontrol::inline v0_1::json {
namespace detail {

// Where the grammar is broken, as " at byte N", or nothing where only a value is out of range. The reader does not say;
// a second parse finds it, on the error path only.
inline std::string value_error_place(std::string_view text) {
    boost::json::parse_options options;
    options.max_depth = max_document_depth;
    boost::json::stream_parser parser({}, options);
    error_code failure;
    const std::size_t done = parser.write_some(text.data(), text.size(), failure);
    if (failure || done < text.size()) return " at byte " + std::to_string(done);
    parser.finish(failure);
    return failure ? " at byte " + std::to_string(text.size()) : "";
}

// Compares a double with an integer by value: both sides are exact.
template <class Integer>
bool value_equals_integer(double d, Integer i) noexcept {
    constexpr double limit = std::is_signed_v<Integer> ? 9223372036854775808.0 : 18446744073709551616.0;
    if (!(d >= (std::is_signed_v<Integer> ? -limit : 0.0) && d < limit) || std::trunc(d) != d) return false;
    return static_cast<Integer>(d) == i;
}

inline bool value_numbers_equal(const value& a, const value& b) noexcept {
    if (a.is_double() && b.is_double()) return a.get_double() == b.get_double();
    if (a.is_double()) return value_numbers_equal(b, a);
    if (b.is_double()) {
        return a.is_int64() ? value_equals_integer(b.get_double(), a.get_int64())
                            : value_equals_integer(b.get_double(), a.get_uint64());
    }
    if (a.is_int64() && b.is_int64()) return a.get_int64() == b.get_int64();
    if (a.is_uint64() && b.is_uint64()) return a.get_uint64() == b.get_uint64();
    if (a.is_uint64()) return value_numbers_equal(b, a);
    return a.get_int64() >= 0 && static_cast<std::uint64_t>(a.get_int64()) == b.get_uint64();
}

}  // namespace detail

KCONTROL_DECL result<value> parse(std::string_view text) {
    document doc;
    const auto root = doc.parse(text);
    if (root) return to_value(*root);
    if (root.error() != errc::decode_failed) return root.error();
    return error(errc::decode_failed, root.error().message() + detail::value_error_place(text));
}

KCONTROL_DECL result<value> to_value(node source) {
    switch (source.kind()) {
    case kind::null: return value(nullptr);
    case kind::boolean: return value(source.as_bool());
    case kind::integer: return value(source.as_int64());
    case kind::unsigned_integer: return value(source.as_uint64());
    case kind::number: return value(source.as_double());
    case kind::string: return value(source.as_string());
    case kind::array: {
        array out;
        out.reserve(source.size());
        for (node element : source.elements()) {
            auto converted = to_value(element);
            if (!converted) return converted;
            out.push_back(std::move(*converted));
        }
        return value(std::move(out));
    }
    case kind::object: break;
    }
    object out;
    out.reserve(source.size());
    for (auto [name, member_value] : source.members()) {
        auto converted = to_value(member_value);
        if (!converted) return converted;
        if (!out.emplace(name, std::move(*converted)).second) {
            return error(errc::decode_failed,
                         "JSON object with two members \"" + escape_control(name.substr(0, 80)) + "\"");
        }
    }
    return value(std::move(out));
}

KCONTROL_DECL void write(writer& out, const value& v) {
    switch (v.kind()) {
    case boost::json::kind::null: out.null(); break;
    case boost::json::kind::bool_: out.value(v.get_bool()); break;
    case boost::json::kind::int64: out.value(v.get_int64()); break;
    case boost::json::kind::uint64: out.value(v.get_uint64()); break;
    case boost::json::kind::double_: out.value(v.get_double()); break;
    case boost::json::kind::string: out.value(std::string_view(v.get_string())); break;
    case boost::json::kind::array:
        out.begin_array();
        for (const auto& element : v.get_array()) write(out, element);
        out.end_array();
        break;
    case boost::json::kind::object:
        out.begin_object();
        for (const auto& [name, member_value] : v.get_object()) {
            out.key(name);
            write(out, member_value);
        }
        out.end_object();
        break;
    }
}

KCONTROL_DECL std::string serialize(const value& v) {
    writer out;
    write(out, v);
    return out.take();
}

KCONTROL_DECL bool equal(const value& a, const value& b) noexcept {
    if (a.is_number() && b.is_number()) return detail::value_numbers_equal(a, b);
    if (a.kind() != b.kind()) return false;
    if (const auto* list = a.if_array()) {
        const auto& other = b.get_array();
        if (list->size() != other.size()) return false;
        for (std::size_t i = 0; i < list->size(); ++i) {
            if (!equal((*list)[i], other[i])) return false;
        }
        return true;
    }
    if (const auto* members = a.if_object()) {
        const auto& other = b.get_object();
        if (members->size() != other.size()) return false;
        for (const auto& [name, member_value] : *members) {
            const value* counterpart = other.if_contains(name);
            if (!counterpart || !equal(member_value, *counterpart)) return false;
        }
        return true;
    }
    return a == b;
}

KCONTROL_DECL const value* find(const value& v, std::initializer_list<std::string_view> path) {
    const value* at = &v;
    for (std::string_view name : path) {
        const auto* members = at->if_object();
        at = members ? members->if_contains(name) : nullptr;
        if (!at) return nullptr;
    }
    return at;
}

KCONTROL_DECL std::string_view get_string(const value& v, std::initializer_list<std::string_view> path) {
    const value* found = find(v, path);
    const auto* text = found ? found->if_string() : nullptr;
    return text ? std::string_view(*text) : std::string_view();
}

}  // namespace kcontrol::json

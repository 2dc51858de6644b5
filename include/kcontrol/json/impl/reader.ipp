#pragma once

#include <kcontrol/json/impl/find_fault.hpp>
#include <kcontrol/json/impl/parse.hpp>
#include <kcontrol/json/reader.hpp>
#include <kcontrol/json/writer.hpp>

#include <string>

namespace kcontrol::inline v0_1::json {
namespace detail {

// The tape's root word; the document's value stands right after it.
inline constexpr std::size_t reader_root = 1;

inline constexpr bool same_letter(tape_type ours, simdjson::internal::tape_type theirs) {
    return static_cast<char>(ours) == static_cast<char>(theirs);
}
static_assert(same_letter(tape_type::begin_array, simdjson::internal::tape_type::START_ARRAY));
static_assert(same_letter(tape_type::begin_object, simdjson::internal::tape_type::START_OBJECT));
static_assert(same_letter(tape_type::end_array, simdjson::internal::tape_type::END_ARRAY));
static_assert(same_letter(tape_type::end_object, simdjson::internal::tape_type::END_OBJECT));
static_assert(same_letter(tape_type::string, simdjson::internal::tape_type::STRING));
static_assert(same_letter(tape_type::int64, simdjson::internal::tape_type::INT64));
static_assert(same_letter(tape_type::uint64, simdjson::internal::tape_type::UINT64));
static_assert(same_letter(tape_type::number, simdjson::internal::tape_type::DOUBLE));
static_assert(same_letter(tape_type::true_value, simdjson::internal::tape_type::TRUE_VALUE));
static_assert(same_letter(tape_type::false_value, simdjson::internal::tape_type::FALSE_VALUE));
static_assert(same_letter(tape_type::null_value, simdjson::internal::tape_type::NULL_VALUE));
static_assert(sizeof(node) == 16, "nodes are passed by value everywhere");

inline error reader_error(simdjson::error_code code) {
    switch (code) {
    case simdjson::CAPACITY: return error(errc::too_large, "JSON document larger than 4 GiB");
    case simdjson::MEMALLOC: return error(errc::too_large, "no memory for a JSON document of this size");
    case simdjson::DEPTH_ERROR: return error(errc::decode_failed, "JSON nested deeper than 256 levels");
    case simdjson::EMPTY: return error(errc::decode_failed, "empty text where JSON was expected");
    case simdjson::NUMBER_ERROR: return error(errc::decode_failed, "JSON number malformed, or too large for a double");
    case simdjson::UTF8_ERROR: return error(errc::decode_failed, "JSON is not valid UTF-8");
    case simdjson::STRING_ERROR: return error(errc::decode_failed, "JSON string with a bad escape");
    case simdjson::UNCLOSED_STRING: return error(errc::decode_failed, "JSON ends inside a string");
    case simdjson::UNESCAPED_CHARS:
        return error(errc::decode_failed, "JSON string with an unescaped control character");
    default: return error(errc::decode_failed, "malformed JSON");
    }
}

/// The same with the place, which simdjson's tree does not know.
inline error reader_error(simdjson::error_code code, std::string_view text) {
    error what = reader_error(code);
    if (what != errc::decode_failed || code == simdjson::DEPTH_ERROR || code == simdjson::EMPTY) return what;
    const std::size_t place = fault_finder(text).find();
    if (place == fault_finder::no_fault) return what;
    const bool number = code == simdjson::NUMBER_ERROR;  // the message has a comma already
    return error(errc::decode_failed, what.message() + (number ? ", at byte " : " at byte ") + std::to_string(place));
}

inline void write_node(writer& out, node n) {
    switch (n.kind()) {
    case kind::null: out.null(); break;
    case kind::boolean: out.value(n.as_bool()); break;
    case kind::integer: out.value(n.as_int64()); break;
    case kind::unsigned_integer: out.value(n.as_uint64()); break;
    case kind::number: out.value(n.as_double()); break;
    case kind::string: out.value(n.as_string()); break;
    case kind::array:
        out.begin_array();
        for (const node element : n.elements()) write_node(out, element);
        out.end_array();
        break;
    case kind::object:
        out.begin_object();
        for (const auto m : n.members()) {
            out.key(m.name);
            write_node(out, m.value);
        }
        out.end_object();
        break;
    }
}

}  // namespace detail

struct document::impl {
    simdjson::dom::parser parser;
    detail::tape tape;
};

KCONTROL_DECL document::document() = default;
KCONTROL_DECL document::~document() = default;
KCONTROL_DECL document::document(document&&) noexcept = default;
KCONTROL_DECL document& document::operator=(document&&) noexcept = default;

KCONTROL_DECL result<node> document::parse(std::string_view text) {
    if (text.empty()) return detail::reader_error(simdjson::EMPTY);
    if (!impl_) impl_ = std::make_unique<impl>();
    auto& parser = impl_->parser;
    if (const auto code = detail::parse_text(parser, text)) return detail::reader_error(code, text);
    impl_->tape = {parser.doc.tape.get(), parser.doc.string_buf.get()};
    return node(impl_->tape, detail::reader_root);
}

KCONTROL_DECL void document::clear() noexcept { impl_.reset(); }

KCONTROL_DECL std::string node::to_json() const {
    writer out;
    detail::write_node(out, *this);
    return out.take();
}

KCONTROL_DECL std::optional<error> find_fault(std::string_view text) {
    if (text.empty()) return detail::reader_error(simdjson::EMPTY);
    detail::fault_finder finder(text);
    const std::size_t place = finder.find();
    if (place == detail::fault_finder::no_fault) return std::nullopt;
    if (finder.is_too_deep()) return detail::reader_error(simdjson::DEPTH_ERROR);
    return error(errc::decode_failed, "malformed JSON at byte " + std::to_string(place));
}

KCONTROL_DECL std::string kernel_name() { return std::string(simdjson::get_active_implementation()->name()); }

}  // namespace kcontrol::json

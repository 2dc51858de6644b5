// The only file that includes simdjson; lazy.ipp includes it through here.
#pragma once

#include <kcontrol/json/detail/find_quote.hpp>
#include <kcontrol/json/reader.hpp>
#include <kcontrol/json/writer.hpp>

#include <simdjson.h>

#include <charconv>
#include <string>

namespace kcontrol::json {
namespace detail {

// simdjson counts the place for the next value too, so a document of depth 256 needs one more.
inline constexpr std::size_t reader_max_depth = 256 + 1;

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

/// simdjson takes no integer beyond 64 bits, but Go writes a float64 such as 1e20 as one. The text with an exponent
/// behind each that may be; empty if there is none.
inline std::string with_wide_integers_marked(std::string_view text) {
    constexpr std::size_t digits_of_64_bits = 19;
    std::string marked;
    std::size_t copied = 0;
    const auto is_digit = [&](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '"') {
            string_marks marks;
            const char* const behind = end_of_string(text.data() + at + 1, text.data() + text.size(), marks);
            at = behind == nullptr ? text.size() : static_cast<std::size_t>(behind - text.data());
        } else if (is_digit(at)) {
            const std::size_t first = at;
            while (is_digit(at)) ++at;
            const std::string_view digits = text.substr(first, at - first);
            const bool goes_on = at < text.size() && (text[at] == '.' || text[at] == 'e' || text[at] == 'E');
            const bool begins = first == 0 || (text[first - 1] != '.' && text[first - 1] != '+');
            std::uint64_t value = 0;
            const bool negative = first > 0 && text[first - 1] == '-';
            const bool fits = digits.size() < digits_of_64_bits ||
                              (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec == std::errc() &&
                               (!negative || value <= std::uint64_t{1} << 63U));
            if (goes_on || fits || !begins) {
                while (at < text.size() &&
                       (is_digit(at) || std::string_view(".eE+-").find(text[at]) != std::string_view::npos))
                    ++at;
                continue;
            }
            marked.append(text.substr(copied, at - copied)).append("e0");
            copied = at;
        } else {
            ++at;
        }
    }
    if (copied > 0) marked.append(text.substr(copied));
    return marked;
}

/// Of a node or a lazy_node.
template <class Node>
void write_node(writer& out, Node n) {
    switch (n.kind()) {
    case kind::null: out.null(); break;
    case kind::boolean: out.value(n.as_bool()); break;
    case kind::integer: out.value(n.as_int64()); break;
    case kind::unsigned_integer: out.value(n.as_uint64()); break;
    case kind::number: out.value(n.as_double()); break;
    case kind::string: out.value(n.as_string()); break;
    case kind::array:
        out.begin_array();
        for (const Node element : n.elements()) write_node(out, element);
        out.end_array();
        break;
    case kind::object:
        out.begin_object();
        for (const auto& m : n.members()) {
            out.key(name_of(m));
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
    // The depth is set where memory is allocated, and kept from then on.
    if (parser.max_depth() != detail::reader_max_depth) {
        const std::size_t capacity = text.size() < 4096 ? 4096 : text.size();
        if (capacity > parser.max_capacity()) return detail::reader_error(simdjson::CAPACITY);
        if (const auto code = parser.allocate(capacity, detail::reader_max_depth)) return detail::reader_error(code);
    }
    // The call copies the text into a buffer of its own, which has the padding that simdjson needs.
    auto code = parser.parse(text.data(), text.size(), true).error();
    if (code == simdjson::NUMBER_ERROR) {
        const std::string marked = detail::with_wide_integers_marked(text);
        if (!marked.empty()) code = parser.parse(marked.data(), marked.size(), true).error();
    }
    if (code) return detail::reader_error(code);
    impl_->tape = {parser.doc.tape.get(), parser.doc.string_buf.get()};
    return node(impl_->tape, detail::reader_root);
}

KCONTROL_DECL void document::clear() noexcept { impl_.reset(); }

KCONTROL_DECL std::string node::to_json() const {
    writer out;
    detail::write_node(out, *this);
    return out.take();
}

}  // namespace kcontrol::json

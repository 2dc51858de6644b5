#pragma once

#include <kcontrol/json/impl/reader.ipp>
#include <kcontrol/json/lazy.hpp>

#include <algorithm>
#include <charconv>
#include <deque>
#include <limits>

namespace kcontrol::json {

struct lazy_document::impl : detail::text_index {
    // simdjson's first stage, virtual, so that the kernel is the one that fits the processor, whatever flags this file
    // was compiled with.
    std::unique_ptr<simdjson::internal::dom_parser_implementation> stage;
    std::unique_ptr<std::uint32_t[]> pairs_room;
    std::size_t pairs_capacity = 0;
    std::deque<std::string> unescaped;  // strings that had escapes
};

namespace detail {

// Fills in pairs. Brackets are a fifth of the tokens, and all that needs a look.
inline simdjson::error_code pair_brackets(const text_index& index, std::uint32_t* pairs, std::size_t count) {
    std::uint32_t stack[reader_max_depth - 1];
    std::size_t depth = 0;
    const char* const text = index.text;
    const std::uint32_t* const starts = index.starts;
    for (std::size_t i = 0; i < count; ++i) {
        const char letter = text[starts[i]];
        // What '[', ']', '{' and '}' have in common, with four others that may begin a malformed scalar.
        if ((letter & 0xD9) != 0x59) continue;
        if (text_index::opens(letter)) {
            if (depth == std::size(stack)) return simdjson::DEPTH_ERROR;
            stack[depth++] = static_cast<std::uint32_t>(i);
        } else if (letter == '}' || letter == ']') {
            if (depth == 0) return simdjson::TAPE_ERROR;
            const std::uint32_t from = stack[--depth];
            if (text[starts[from]] != letter - 2) return simdjson::TAPE_ERROR;
            pairs[from] = static_cast<std::uint32_t>(i);
        }
    }
    return depth == 0 ? simdjson::SUCCESS : simdjson::TAPE_ERROR;
}

inline bool lazy_digit(char c) { return c >= '0' && c <= '9'; }

// Whether the text is a number as JSON has them, and whether it is written without fraction and exponent.
inline bool lazy_number_form(std::string_view text, bool& whole) {
    const char* at = text.data();
    const char* const end = at + text.size();
    const auto digits = [&] {
        const char* first = at;
        while (at != end && lazy_digit(*at)) ++at;
        return static_cast<std::size_t>(at - first);
    };
    whole = true;
    if (at != end && *at == '-') ++at;
    const bool zero = at != end && *at == '0';
    const std::size_t count = digits();
    if (count == 0 || (zero && count > 1)) return false;
    if (at != end && *at == '.') {
        whole = false;
        ++at;
        if (digits() == 0) return false;
    }
    if (at != end && (*at == 'e' || *at == 'E')) {
        whole = false;
        ++at;
        if (at != end && (*at == '+' || *at == '-')) ++at;
        if (digits() == 0) return false;
    }
    return at == end;
}

struct lazy_number {
    json::kind kind = json::kind::null;  // null: malformed
    std::int64_t integer = 0;
    std::uint64_t unsigned_integer = 0;
    double number = 0;
};

inline lazy_number read_lazy_number(std::string_view text) {
    lazy_number out;
    bool whole = false;
    if (!lazy_number_form(text, whole)) return out;
    const char* const end = text.data() + text.size();
    if (whole) {
        if (std::from_chars(text.data(), end, out.integer).ec == std::errc()) {
            out.kind = json::kind::integer;
        } else if (text.front() != '-' && std::from_chars(text.data(), end, out.unsigned_integer).ec == std::errc()) {
            out.kind = json::kind::unsigned_integer;
        }
        // Beyond 64 bits it is what Go writes of a float64 such as 1e20.
        if (out.kind != json::kind::null) return out;
    }
    if (std::from_chars(text.data(), end, out.number).ec == std::errc()) {
        out.kind = json::kind::number;
        return out;
    }
    // Too large or too small for a double: the parser says which.
    document other;
    const auto parsed = other.parse(text);
    if (!parsed) return out;
    out.number = parsed->as_double();
    out.kind = json::kind::number;
    return out;
}

// Which token may follow which.
class lazy_grammar {
public:
    static bool is_scalar(char letter) {
        switch (letter) {
        case '{':
        case '}':
        case '[':
        case ']':
        case ',':
        case ':': return false;
        default: return true;
        }
    }

    bool take(char letter) {
        switch (letter) {
        case '{': return want_ <= want::element && open(true, want::first_name);
        case '[': return want_ <= want::element && open(false, want::element);
        case '}': return (want_ == want::first_name || (want_ == want::comma && in_object())) && close();
        case ']': return depth_ > 0 && (want_ == want::element || (want_ == want::comma && !in_object())) && close();
        case ',':
            if (want_ != want::comma || depth_ == 0) return false;
            return next(in_object() ? want::name : want::value);
        case ':': return want_ == want::colon && next(want::value);
        case '"':
            if (want_ == want::first_name || want_ == want::name) return next(want::colon);
            return want_ <= want::element && next(want::comma);
        default: return want_ <= want::element && next(want::comma);
        }
    }

private:
    enum class want : std::uint8_t { value, element, first_name, name, colon, comma };  // element: or the end

    bool in_object() const { return depth_ > 0 && objects_[depth_ - 1]; }
    bool next(want w) { return want_ = w, true; }
    bool open(bool object, want w) {
        objects_[depth_++] = object;  // scan() has seen to the depth
        return next(w);
    }
    bool close() { return --depth_, next(want::comma); }

    want want_ = want::value;
    std::size_t depth_ = 0;
    bool objects_[reader_max_depth] = {};
};

inline void append_utf8(std::string& out, std::uint32_t point) {
    if (point < 0x80) {
        out += static_cast<char>(point);
    } else if (point < 0x800) {
        out += static_cast<char>(0xC0 | (point >> 6));
        out += static_cast<char>(0x80 | (point & 0x3F));
    } else {
        out += static_cast<char>(0xE0 | (point >> 12));
        out += static_cast<char>(0x80 | ((point >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (point & 0x3F));
    }
}

// Appends the string without its escapes. False if one is malformed, or is half of a pair, which is left to the parser.
inline bool lazy_unescape(std::string_view text, std::string& out) {
    while (!text.empty()) {
        const std::size_t plain = std::min(text.find('\\'), text.size());
        out += text.substr(0, plain);
        text.remove_prefix(plain);
        if (text.empty()) break;
        if (text.size() < 2) return false;
        std::size_t length = 2;
        switch (text[1]) {
        case '"':
        case '\\':
        case '/': out += text[1]; break;
        case 'b': out += '\b'; break;
        case 'f': out += '\f'; break;
        case 'n': out += '\n'; break;
        case 'r': out += '\r'; break;
        case 't': out += '\t'; break;
        case 'u': {
            length = 6;
            std::uint32_t point = 0;
            if (text.size() < length) return false;
            const auto read = std::from_chars(text.data() + 2, text.data() + length, point, 16);
            if (read.ec != std::errc() || read.ptr != text.data() + length) return false;
            if (point >= 0xD800 && point < 0xE000) return false;
            append_utf8(out, point);
            break;
        }
        default: return false;
        }
        text.remove_prefix(length);
    }
    return true;
}

}  // namespace detail

KCONTROL_DECL bool detail::text_index::find_escape(std::size_t from, std::size_t to) const noexcept {
    // Not to the end of the text: who reads here and there would search it again and again.
    constexpr std::size_t ahead = 1024;
    const std::size_t end = std::min(size, std::max(to, from + ahead));
    const void* found = from < end ? std::memchr(text + from, '\\', end - from) : nullptr;
    plain_from = from;
    plain_to = found != nullptr ? static_cast<std::size_t>(static_cast<const char*>(found) - text) : end;
    return plain_to < to;
}

KCONTROL_DECL lazy_document::lazy_document() = default;
KCONTROL_DECL lazy_document::~lazy_document() = default;
KCONTROL_DECL lazy_document::lazy_document(lazy_document&&) noexcept = default;
KCONTROL_DECL lazy_document& lazy_document::operator=(lazy_document&&) noexcept = default;

KCONTROL_DECL result<lazy_node> lazy_document::scan(std::string_view text) {
    if (text.empty()) return detail::reader_error(simdjson::EMPTY);
    if (text.size() > std::numeric_limits<std::uint32_t>::max() - 64) return detail::reader_error(simdjson::CAPACITY);
    if (!impl_) impl_ = std::make_unique<impl>();
    impl& it = *impl_;
    it.unescaped.clear();
    it.fault = impl::no_fault;
    const std::size_t capacity = std::max<std::size_t>(text.size(), 4096);
    if (!it.stage) {
        const auto code =
            simdjson::get_active_implementation()->create_dom_parser_implementation(capacity, 1, it.stage);
        if (code) return detail::reader_error(code);
    } else if (it.stage->capacity() < capacity) {
        if (const auto code = it.stage->set_capacity(capacity)) return detail::reader_error(code);
    }
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    // The first stage copies the end of the text where it needs room behind it.
    if (const auto code = it.stage->stage1(bytes, text.size(), simdjson::stage1_mode::regular)) {
        return detail::reader_error(code);
    }
    const std::size_t count = it.stage->n_structural_indexes;
    if (it.pairs_capacity < count) {
        it.pairs_capacity = count + count / 4;
        it.pairs_room = std::make_unique_for_overwrite<std::uint32_t[]>(it.pairs_capacity);
    }
    it.text = text.data();
    it.size = text.size();
    it.plain_from = it.plain_to = 0;
    it.starts = it.stage->structural_indexes.get();
    it.pairs = it.pairs_room.get();
    if (const auto code = detail::pair_brackets(it, it.pairs_room.get(), count)) return detail::reader_error(code);
    if (impl::separates(it.letter(0)) || it.after(0) != count) return detail::reader_error(simdjson::TAPE_ERROR);
    return lazy_node(it, 0);
}

KCONTROL_DECL void lazy_document::clear() noexcept { impl_.reset(); }

KCONTROL_DECL std::string_view lazy_node::scalar() const {
    const char* first = index_->text + index_->starts[token_];
    const char* last = index_->text + index_->starts[token_ + 1];
    while (last[-1] == ' ' || last[-1] == '\n' || last[-1] == '\t' || last[-1] == '\r') --last;
    return {first, static_cast<std::size_t>(last - first)};
}

KCONTROL_DECL kind lazy_node::kind() const {
    if (index_ == nullptr) return json::kind::null;
    switch (letter()) {
    case '{': return json::kind::object;
    case '[': return json::kind::array;
    case '"': return json::kind::string;
    case 't':
        if (scalar() == "true") return json::kind::boolean;
        break;
    case 'f':
        if (scalar() == "false") return json::kind::boolean;
        break;
    case 'n':
        if (scalar() == "null") return json::kind::null;
        break;
    default:
        if (const auto number = detail::read_lazy_number(scalar()); number.kind != json::kind::null) return number.kind;
    }
    index_->blame(token_);
    return json::kind::null;
}

KCONTROL_DECL std::int64_t lazy_node::as_int64() const {
    return index_ == nullptr ? 0 : detail::read_lazy_number(scalar()).integer;
}

KCONTROL_DECL bool lazy_node::get_int64(std::int64_t& out) const {
    const char first = letter();
    if (first != '-' && !detail::lazy_digit(first)) return false;
    const auto number = detail::read_lazy_number(scalar());
    if (number.kind == json::kind::null) index_->blame(token_);
    out = number.integer;
    return number.kind == json::kind::integer;
}

KCONTROL_DECL std::uint64_t lazy_node::as_uint64() const {
    return index_ == nullptr ? 0 : detail::read_lazy_number(scalar()).unsigned_integer;
}

KCONTROL_DECL double lazy_node::as_double() const {
    if (index_ == nullptr) return 0;
    const auto number = detail::read_lazy_number(scalar());
    if (number.kind == json::kind::integer) return static_cast<double>(number.integer);
    if (number.kind == json::kind::unsigned_integer) return static_cast<double>(number.unsigned_integer);
    return number.number;
}

KCONTROL_DECL std::string_view lazy_node::unescaped(std::string_view text) const {
    auto& strings = const_cast<lazy_document::impl&>(static_cast<const lazy_document::impl&>(*index_)).unescaped;
    std::string out;
    out.reserve(text.size());
    if (detail::lazy_unescape(text, out)) return strings.emplace_back(std::move(out));
    // A pair of \u, or malformed: the parser knows.
    document other;
    const auto parsed = other.parse(scalar());
    if (parsed) return strings.emplace_back(parsed->as_string());
    index_->blame(token_);
    return {};
}

KCONTROL_DECL lazy_node lazy_node::operator[](std::string_view name) const {
    for (const lazy_member member : members()) {
        if (member.name() == name) return member.value;
    }
    return {};
}

KCONTROL_DECL std::string_view lazy_node::raw() const {
    if (index_ == nullptr) return "null";
    if (!is_object() && !is_array()) return scalar();
    const std::size_t first = index_->starts[token_];
    return {index_->text + first, index_->starts[index_->pairs[token_]] + 1 - first};
}

inline bool lazy_node::good_scalar() const {
    if (letter() != '"') return kind() != json::kind::null || scalar() == "null";
    const std::string_view text = quoted();
    const auto first = static_cast<std::size_t>(text.data() - index_->text);
    if (!index_->has_escape(first, first + text.size())) return true;
    document other;
    return other.parse(scalar()).has_value();
}

KCONTROL_DECL std::size_t lazy_node::compact(char* to, lazy_node without) const {
    const detail::text_index& in = *index_;
    const std::size_t last = in.after(token_) - 1;
    detail::lazy_grammar grammar;
    // A member goes with the comma behind it; the last one with the comma before it, if there is one.
    std::size_t omit = ~std::size_t{0};
    std::size_t behind = 0;
    if (without.index_ == index_) {
        omit = without.token_ - 2;
        behind = in.after(without.token_);
        if (in.letter(behind) == ',') {
            ++behind;
        } else if (in.letter(omit - 1) == ',') {
            --omit;
        }
    }
    char* out = to;
    std::size_t run = in.starts[token_];  // what is to be copied begins here
    std::size_t end = run;                // and ends here so far
    const auto flush = [&](std::size_t next) {
        std::memcpy(out, in.text + run, end - run);
        out += end - run;
        run = next;
    };
    for (std::size_t i = token_; i <= last; ++i) {
        if (i == omit) {
            flush(in.starts[behind]);
            end = run;
            i = behind;
        }
        const char letter = in.letter(i);
        const std::size_t start = in.starts[i];
        const lazy_node here(in, i);
        if (!grammar.take(letter) || (detail::lazy_grammar::is_scalar(letter) && !here.good_scalar())) {
            in.blame(i);
            return 0;
        }
        if (start != end) flush(start);
        end = start + (detail::lazy_grammar::is_scalar(letter) ? here.scalar().size() : 1);
    }
    flush(end);
    return static_cast<std::size_t>(out - to);
}

KCONTROL_DECL std::string lazy_node::to_json() const {
    writer out;
    detail::write_node(out, *this);
    return out.take();
}

KCONTROL_DECL std::optional<error> lazy_node::take_fault() const {
    if (index_ == nullptr || index_->fault == detail::text_index::no_fault) return std::nullopt;
    const std::size_t place = std::exchange(index_->fault, detail::text_index::no_fault);
    return error(errc::decode_failed, "malformed JSON at byte " + std::to_string(place));
}

KCONTROL_DECL std::string kernel_name() { return std::string(simdjson::get_active_implementation()->name()); }

}  // namespace kcontrol::json

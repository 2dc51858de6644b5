// fault_finder: where a text ceases to be JSON, for the message about it.
#pragma once

#include <kcontrol/json/cursor_strings.hpp>
#include <kcontrol/json/impl/scalars.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kcontrol::inline v0_1::json::detail {

/// Which token may follow which. A token is told by its first letter.
class token_grammar {
public:
    bool take(char letter) noexcept {
        if (is_too_deep(letter)) return false;
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
    /// Whether `letter` stands deeper than the parser goes, which takes an object or list there if it is empty.
    bool is_too_deep(char letter) const noexcept { return depth_ == deepest && letter != '}' && letter != ']'; }
    /// Whether a value was there, and has ended.
    bool is_complete() const noexcept { return want_ == want::comma && depth_ == 0; }

private:
    static constexpr std::size_t deepest = reader_max_depth;
    enum class want : std::uint8_t { value, element, first_name, name, colon, comma };  // element: or the end

    bool in_object() const noexcept { return depth_ > 0 && objects_[depth_ - 1]; }
    bool next(want w) noexcept { return want_ = w, true; }
    bool open(bool object, want w) noexcept {
        objects_[depth_++] = object;
        return next(w);
    }
    bool close() noexcept { return --depth_, next(want::comma); }

    want want_ = want::value;
    std::size_t depth_ = 0;
    bool objects_[deepest] = {};
};

class fault_finder {
public:
    static constexpr std::size_t no_fault = static_cast<std::size_t>(-1);

    explicit fault_finder(std::string_view text) noexcept : first_(text.data()), in_(text) {}

    /// The offset of the first token that may not stand there or is malformed; the length of the text if it ends too
    /// early. Cold, so that the compiler keeps its inlining for what decodes.
    [[gnu::cold]] std::size_t find() {
        for (;;) {
            in_.skip_space();
            const auto place = static_cast<std::size_t>(in_.at() - first_);
            if (in_.left() == 0) return grammar_.is_complete() ? no_fault : place;
            if (!grammar_.take(in_.front()) || !take_token()) return place;
        }
    }
    /// After find(): whether the token is at fault only for standing too deep.
    bool is_too_deep() const noexcept { return in_.left() > 0 && grammar_.is_too_deep(in_.front()); }

private:
    bool take_token() {
        const char* const token = in_.at();
        switch (in_.front()) {
        case '{':
        case '}':
        case '[':
        case ']':
        case ',':
        case ':': in_.pass(1); return true;
        case '"': {
            std::string_view content;
            bool escaped = false;
            return in_.take_string(content, escaped) && (!escaped || has_good_escapes(content));
        }
        default: break;
        }
        if (!in_.skip_value(any_depth)) return false;
        const std::string_view word = text_since(token);
        return word == "true" || word == "false" || word == "null" || is_number(word);
    }
    std::string_view text_since(const char* token) const noexcept {
        return {token, static_cast<std::size_t>(in_.at() - token)};
    }

    const char* first_;
    cursor in_;
    token_grammar grammar_;
};

}  // namespace kcontrol::json::detail

// plain_text: JSON as API servers write it, read from front to back in one go, without finding its tokens first.
#pragma once

#include <kcontrol/config.hpp>

#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>

namespace kcontrol::json {

/// A place in a text of valid UTF-8 without control characters, hence without line breaks. Who reads it expects what
/// servers write: no white space, members in the usual order. It says nothing of what is otherwise, or wrong, but
/// gives up; lazy_document reads all, and says what is wrong.
///
/// Reading takes time linear in what is read, whatever it is; nothing beyond the end of the text is touched.
///
/// Thread-safety: distinct objects safe; the text must outlive them.
class plain_text {
public:
    /// From the start of a text, if it is a plain one.
    KCONTROL_DECL static std::optional<plain_text> over(std::string_view text);
    /// Of a text that is known to be valid UTF-8, with no control characters in its strings.
    explicit plain_text(std::string_view text) noexcept : at_(text.data()), end_(text.data() + text.size()) {}

    const char* at() const noexcept { return at_; }
    const char* end() const noexcept { return end_; }
    std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }
    /// The next character; at the end '\0', which is in no plain text.
    char front() const noexcept { return at_ != end_ ? *at_ : '\0'; }

    void pass(std::size_t count) noexcept { at_ += count; }  ///< count ≤ left()
    void go_back_to(const char* place) noexcept { at_ = place; }
    bool take(char letter) noexcept {
        if (front() != letter) return false;
        ++at_;
        return true;
    }
    bool take(std::string_view word) noexcept {
        if (left() < word.size() || std::memcmp(at_, word.data(), word.size()) != 0) return false;
        at_ += word.size();
        return true;
    }

    /// Passes over a string. `content` is what is between the quotes, with its escapes, which it says whether there
    /// are; they are not checked. On failure the place is anywhere, as with all that follow.
    KCONTROL_DECL bool take_string(std::string_view& content, bool& escaped) noexcept;
    /// Passes over a value, whose strings are closed and whose brackets are as many that open as that close, within
    /// `deepest` levels. No more is checked.
    KCONTROL_DECL bool skip_value(std::size_t deepest) noexcept;
    /// The same, and all of it is checked: it has no white space, and is JSON.
    KCONTROL_DECL bool check_value(std::size_t deepest);

private:
    bool check_members(std::size_t deepest);
    bool check_elements(std::size_t deepest);
    bool check_string();
    bool check_scalar();
    void skip_scalar() noexcept;

    const char* at_;
    const char* end_;
};

}  // namespace kcontrol::json

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/json/impl/plain_text.ipp>
#endif

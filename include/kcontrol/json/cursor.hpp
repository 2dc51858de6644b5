// cursor: JSON as API servers write it, read from front to back in one go, without finding its tokens first. How
// strings are read is in cursor_strings.hpp, for decoders.
#pragma once

#include <kcontrol/config.hpp>

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::json {

/// A place in a text that is read from front to back. Who reads it expects what servers write: no white space, members
/// in the usual order. It says nothing of what is otherwise, or wrong, but gives up; json::document reads all, and says
/// what is wrong.
///
/// Checked of what is taken: everything, UTF-8 included. Checked of what is passed over: that strings are closed, and
/// that brackets are as many that open as that close.
///
/// Reading takes time linear in what is read, whatever it is; nothing beyond the end of the text is touched.
///
/// Thread-safety: distinct objects safe; the text must outlive them.
class cursor {
public:
    /// Stands at the front of the text, which is not copied.
    explicit cursor(std::string_view text) noexcept : at_(text.data()), end_(text.data() + text.size()) {}

    /// Where it stands in the text; after a failure anywhere, or null.
    const char* at() const noexcept { return at_; }
    const char* end() const noexcept { return end_; }
    /// How many bytes are left up to the end of the text.
    std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }
    /// The next character; at the end '\0', which JSON has nowhere.
    char front() const noexcept { return at_ != end_ ? *at_ : '\0'; }

    void pass(std::size_t count) noexcept { at_ += count; }       ///< count ≤ left()
    void go_back_to(const char* place) noexcept { at_ = place; }  ///< a place that at() gave earlier; not checked
    /// Passes over that character if it is the next one; else false, and it stays where it is.
    bool take(char letter) noexcept {
        if (at_ == end_ || *at_ != letter) return false;
        ++at_;
        return true;
    }
    /// The same for a word: all of it, or nothing.
    bool take(std::string_view word) noexcept {
        if (left() < word.size() || std::memcmp(at_, word.data(), word.size()) != 0) return false;
        at_ += word.size();
        return true;
    }
    /// Passes over white space, for those who read what may have some.
    void skip_space() noexcept {
        while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
    }

    /// Takes a string. `content` is what is between the quotes, with its escapes, which it says whether there are; they
    /// are not checked. On failure the place is anywhere, as with all that follow.
    inline bool take_string(std::string_view& content, bool& escaped) noexcept;
    /// The content of a string without its escapes. False if one of them is wrong; `out` is anything then.
    KCONTROL_DECL static bool unescape(std::string_view content, std::string& out);
    /// Passes over a value, of `deepest` levels at most.
    inline bool skip_value(std::size_t deepest) noexcept;
    /// Takes a value: it is JSON, and has no white space.
    KCONTROL_DECL bool check_value(std::size_t deepest);

private:
    bool check_members(std::size_t deepest);
    bool check_elements(std::size_t deepest);
    bool check_string();
    bool check_scalar();
    KCONTROL_DECL bool skip_scalar() noexcept;
    KCONTROL_DECL bool skip_brackets(std::size_t deepest) noexcept;
    KCONTROL_DECL static bool is_utf8(std::string_view text) noexcept;

    const char* at_;
    const char* end_;
};

}  // namespace kcontrol::json

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/json/impl/cursor.ipp>
#endif

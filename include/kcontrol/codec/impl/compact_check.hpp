// compact_check: whether an object is JSON through and through, and what is left of its text without managedFields.
#pragma once

#include <kcontrol/json/cursor_strings.hpp>

#include <cstring>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

inline bool separates_tokens(char letter) noexcept {
    return letter == ',' || letter == ':' || letter == '{' || letter == '}' || letter == '[' || letter == ']';
}

/// Copies a text without the white space between its tokens; false if that would make one token of two, so that what is
/// copied is JSON only if the text is.
inline bool copy_without_space(std::string_view text, std::string& to) {
    to.clear();
    to.reserve(text.size());
    json::cursor in(text);
    in.skip_space();
    const char* first = in.at();  // what is to be copied next
    while (in.left() > 0) {
        const char letter = in.front();
        if (letter == '"') {
            if (!in.skip_value(json::any_depth)) return false;
            continue;
        }
        in.pass(1);
        if (static_cast<unsigned char>(letter) > ' ') continue;
        const char* const space = in.at() - 1;
        in.go_back_to(space);
        in.skip_space();
        if (in.at() == space) return false;  // a control character
        if (in.left() > 0 && !separates_tokens(space[-1]) && !separates_tokens(in.front())) return false;
        to.append(first, space);
        first = in.at();
    }
    to.append(first, in.at());
    return true;
}

/// Reads text without white space.
class compact_check {
public:
    compact_check(json::cursor from, bool without_managed_fields, std::size_t deepest = json::usual_depth)
        : in_(from), drops_(without_managed_fields), deepest_(deepest) {}

    bool run() { return drops_ ? check_object(&compact_check::check_metadata, "metadata") : in_.check_value(deepest_); }
    /// The place behind the object.
    json::cursor remaining() const noexcept { return in_; }
    /// Copies the object, which begins at `first`, and tells its size.
    std::size_t copy(const char* first, char* to) const noexcept {
        const auto end = in_.at();
        const char* const gap = gap_ != nullptr ? gap_ : end;
        const char* const behind = gap_ != nullptr ? behind_gap_ : end;
        const auto before = static_cast<std::size_t>(gap - first);
        const auto after = static_cast<std::size_t>(end - behind);
        std::memcpy(to, first, before);
        std::memcpy(to + before, behind, after);
        return before + after;
    }

private:
    /// Checks an object, but leaves the first member of a name to `special`.
    bool check_object(bool (compact_check::*special)(const char* member), std::string_view name) {
        if (!in_.take('{')) return false;
        if (in_.take('}')) return true;
        bool met = false;
        do {
            const char* const member = in_.at();
            std::string_view found;
            bool escaped = false;
            if (!in_.take_string(found, escaped) || !in_.take(':')) return false;
            std::string unescaped;
            if (escaped && !json::cursor::unescape(found, unescaped)) return false;
            const bool is_it = !met && (escaped ? unescaped : found) == name;
            met = met || is_it;
            if (!(is_it ? (this->*special)(member) : in_.check_value(deepest_))) return false;
        } while (in_.take(','));
        return in_.take('}');
    }
    bool check_metadata(const char*) {
        if (in_.front() != '{') return in_.check_value(deepest_);
        return check_object(&compact_check::pass_managed_fields, "managedFields");
    }
    /// A member goes with the comma behind it; the last one with the comma before it, if there is one.
    bool pass_managed_fields(const char* member) {
        if (!in_.skip_value(json::any_depth)) return false;
        gap_ = member;
        behind_gap_ = in_.at();
        if (in_.front() == ',') {
            ++behind_gap_;
        } else if (member[-1] == ',') {
            --gap_;
        }
        return true;
    }

    json::cursor in_;
    bool drops_;
    std::size_t deepest_;
    const char* gap_ = nullptr;
    const char* behind_gap_ = nullptr;
};

}  // namespace kcontrol::detail

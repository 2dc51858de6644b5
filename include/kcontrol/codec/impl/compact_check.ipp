// compact_check: whether an object is JSON through and through, and what is left of its text without managedFields.
#pragma once

#include <kcontrol/json/cursor_strings.hpp>

#include <cstring>

namespace kcontrol::detail {

class compact_check {
public:
    compact_check(json::cursor from, bool without_managed_fields) : in_(from), drops_(without_managed_fields) {}

    bool run() {
        return drops_ ? check_object(&compact_check::check_metadata, "metadata") : in_.check_value(json::usual_depth);
    }
    /// The place behind the object.
    json::cursor rest() const noexcept { return in_; }
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
            if (!in_.take_string(found, escaped) || escaped || !in_.take(':')) return false;
            const bool is_it = !met && found == name;
            met = met || is_it;
            if (!(is_it ? (this->*special)(member) : in_.check_value(json::usual_depth))) return false;
        } while (in_.take(','));
        return in_.take('}');
    }
    bool check_metadata(const char*) {
        if (in_.front() != '{') return in_.check_value(json::usual_depth);
        return check_object(&compact_check::pass_managed_fields, "managedFields");
    }
    /// A member goes with the comma behind it; the last one with the comma before it, if there is one.
    bool pass_managed_fields(const char* member) {
        if (!in_.skip_value(json::usual_depth)) return false;
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
    const char* gap_ = nullptr;
    const char* behind_gap_ = nullptr;
};

}  // namespace kcontrol::detail

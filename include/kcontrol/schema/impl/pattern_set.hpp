// Patterns of schemas: RE2 matches them, for it has the syntax and meaning of Go's regexp, which the server uses.
#pragma once

#ifndef KCONTROL_WITHOUT_RE2
#include <re2/re2.h>
#endif

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kcontrol::inline v0_1::detail {

#ifdef KCONTROL_WITHOUT_RE2

/// Matches nothing, and says so of every pattern: a check that can't be made must not pass for one that was.
class pattern_set {
public:
    static constexpr bool can_match = false;

    std::string fault(std::string_view) const { return "this kcontrol was built without RE2 (KCONTROL_WITH_RE2=OFF)"; }
    bool matches(std::string_view, std::string_view) const { return false; }
};

#else

/// The patterns of one validation, each compiled once.
class pattern_set {
public:
    static constexpr bool can_match = true;

    /// Why the pattern can't be used; empty for one that can.
    std::string fault(std::string_view pattern) {
        const re2::RE2& compiled = get(pattern);
        return compiled.ok() ? std::string() : compiled.error();
    }
    bool matches(std::string_view pattern, std::string_view text) {
        return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), get(pattern));
    }

private:
    const re2::RE2& get(std::string_view pattern) {
        auto& made = made_[pattern];
        if (!made) {
            re2::RE2::Options options;
            options.set_log_errors(false);
            made = std::make_unique<re2::RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
        }
        return *made;
    }

    std::unordered_map<std::string_view, std::unique_ptr<re2::RE2>> made_;
};

#endif

}  // namespace kcontrol::detail

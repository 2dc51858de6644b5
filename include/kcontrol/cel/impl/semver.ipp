#pragma once

#include <kcontrol/cel/semver.hpp>

#include <algorithm>
#include <charconv>
#include <optional>

namespace kcontrol::inline v0_1::cel {

namespace detail {

inline bool is_all_digits(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

inline bool is_version_word(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
    });
}

inline std::vector<std::string> split_words(std::string_view text, char at, std::size_t most) {
    std::vector<std::string> out;
    while (out.size() + 1 < most && text.find(at) != std::string_view::npos) {
        out.emplace_back(text.substr(0, text.find(at)));
        text.remove_prefix(text.find(at) + 1);
    }
    out.emplace_back(text);
    return out;
}

inline std::optional<std::uint64_t> version_number(std::string_view text) {
    std::uint64_t out = 0;
    if (!is_all_digits(text) || (text.size() > 1 && text.front() == '0')) return std::nullopt;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
    return read.ec == std::errc() ? std::optional(out) : std::nullopt;
}

inline std::strong_ordering compare_word(const std::string& a, const std::string& b) {
    const bool x = is_all_digits(a), y = is_all_digits(b);
    if (x != y) return x ? std::strong_ordering::less : std::strong_ordering::greater;
    if (x && a.size() != b.size()) return a.size() <=> b.size();  // neither has leading zeros
    return a <=> b;
}

inline std::optional<std::string> normalized_version(std::string_view text) {
    if (text.starts_with('v')) text.remove_prefix(1);
    auto parts = split_words(text, '.', 3);
    for (auto& part : parts) {
        if (part.size() < 2) continue;
        part.erase(0, std::min(part.find_first_not_of('0'), part.size()));
        if (part.empty() || part.front() < '0' || part.front() > '9') part.insert(0, "0");
    }
    if (parts.size() < 3 && parts.back().find_first_of("+-") != std::string::npos) return std::nullopt;
    while (parts.size() < 3) parts.emplace_back("0");
    return parts[0] + "." + parts[1] + "." + parts[2];
}

}  // namespace detail

KCONTROL_DECL std::strong_ordering operator<=>(const semver_value& a, const semver_value& b) {
    if (const auto by = a.major <=> b.major; by != 0) return by;
    if (const auto by = a.minor <=> b.minor; by != 0) return by;
    if (const auto by = a.patch <=> b.patch; by != 0) return by;
    // A pre-release comes before its release.
    if (a.before.empty() != b.before.empty()) {
        return a.before.empty() ? std::strong_ordering::greater : std::strong_ordering::less;
    }
    for (std::size_t i = 0; i < a.before.size() && i < b.before.size(); ++i) {
        if (const auto by = detail::compare_word(a.before[i], b.before[i]); by != 0) return by;
    }
    return a.before.size() <=> b.before.size();
}

KCONTROL_DECL result<semver_value> parse_semver(std::string_view text, bool normalize) {
    const auto refuse = [](const std::string& why) { return error(errc::invalid_argument, why); };
    std::string whole(text);
    if (normalize) {
        auto better = detail::normalized_version(text);
        if (!better) return refuse("short version cannot contain PreRelease/Build meta data");
        whole = std::move(*better);
    }
    if (whole.empty()) return refuse("Version string empty");
    std::string_view rest = whole;
    const std::size_t plus = rest.find('+');
    if (plus != std::string_view::npos) {
        for (const auto& word : detail::split_words(rest.substr(plus + 1), '.', rest.size() + 1)) {
            if (word.empty()) return refuse("Build meta data is empty");
            if (!detail::is_version_word(word))
                return refuse("Invalid character(s) found in build meta data \"" + word + "\"");
        }
        rest = rest.substr(0, plus);
    }
    semver_value out;
    const std::size_t dash = rest.find('-');
    if (dash != std::string_view::npos) {
        for (auto& word : detail::split_words(rest.substr(dash + 1), '.', rest.size() + 1)) {
            if (word.empty()) return refuse("Prerelease is empty");
            if (!detail::is_version_word(word))
                return refuse("Invalid character(s) found in prerelease \"" + word + "\"");
            if (detail::is_all_digits(word) && word.size() > 1 && word.front() == '0') {
                return refuse("Numeric PreRelease version must not contain leading zeroes \"" + word + "\"");
            }
            out.before.push_back(std::move(word));
        }
        rest = rest.substr(0, dash);
    }
    const auto parts = detail::split_words(rest, '.', 3);
    if (parts.size() != 3) return refuse("No Major.Minor.Patch elements found");
    const char* const names[] = {"major", "minor", "patch"};
    std::uint64_t* const numbers[] = {&out.major, &out.minor, &out.patch};
    for (std::size_t i = 0; i < 3; ++i) {
        const auto number = detail::version_number(parts[i]);
        if (!number) {
            return refuse((detail::is_all_digits(parts[i]) ? "Invalid " : "Invalid character(s) found in ") +
                          std::string(names[i]) + " number \"" + parts[i] + "\"");
        }
        *numbers[i] = *number;
    }
    return out;
}

}  // namespace kcontrol::cel

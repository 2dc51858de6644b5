// How values of flags are read, and what is said of those that are not right.
#pragma once

#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/base/result.hpp>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace training_monitor {

/// `FLAG: "VALUE" is not WHAT`.
inline kcontrol::error not_right(std::string_view flag, std::string_view value, std::string_view what) {
    std::string text(flag);
    text.append(": ").append(kcontrol::in_quotes(value)).append(" is not ").append(what);
    return kcontrol::error(kcontrol::errc::invalid_argument, std::move(text));
}

/// A whole number in decimal. Nothing: it is none, or out of bounds.
template <class T>
std::optional<T> number_in(std::string_view value, T least, T most) {
    T out = 0;
    const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), out);
    const bool whole = failure == std::errc() && end == value.data() + value.size();
    return whole && out >= least && out <= most ? std::optional(out) : std::nullopt;
}

/// The same for a flag. Errors: invalid_argument, with the bounds.
template <class T>
kcontrol::result<T> read_number(std::string_view flag, std::string_view value, T least, T most) {
    const auto read = number_in(value, least, most);
    if (read) return *read;
    return not_right(flag, value, "a number from " + std::to_string(least) + " to " + std::to_string(most));
}

/// The rule for names of namespaces, RFC 1123 labels.
inline bool is_namespace_name(std::string_view name) {
    if (name.empty() || name.size() > 63 || name.front() == '-' || name.back() == '-') return false;
    return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

}  // namespace training_monitor

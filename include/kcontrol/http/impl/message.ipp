#pragma once

#include <kcontrol/http/message.hpp>

#include <algorithm>

namespace kcontrol::http {
namespace detail {

inline char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline bool iequals(std::string_view a, std::string_view b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

// tchar of RFC 9110 §5.6.2.
inline bool is_token_char(char c) noexcept {
    const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    return alphanumeric || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

}  // namespace detail

KCONTROL_DECL void fields::set(std::string_view name, std::string value) {
    erase(name);
    add(name, std::move(value));
}

KCONTROL_DECL void fields::add(std::string_view name, std::string value) {
    fields_.push_back({std::string(name), std::move(value)});
}

KCONTROL_DECL void fields::erase(std::string_view name) {
    std::erase_if(fields_, [&](const field& f) { return detail::iequals(f.name, name); });
}

KCONTROL_DECL std::string_view fields::get(std::string_view name) const noexcept {
    for (const auto& f : fields_) {
        if (detail::iequals(f.name, name)) return f.value;
    }
    return {};
}

KCONTROL_DECL bool fields::contains(std::string_view name) const noexcept {
    return std::any_of(fields_.begin(), fields_.end(), [&](const field& f) { return detail::iequals(f.name, name); });
}

KCONTROL_DECL bool is_valid_field(std::string_view name, std::string_view value) noexcept {
    if (name.empty() || !std::all_of(name.begin(), name.end(), detail::is_token_char)) return false;
    return std::none_of(value.begin(), value.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte < 0x20 && c != '\t') || byte == 0x7f;
    });
}

KCONTROL_DECL bool is_valid_target(std::string_view target) noexcept {
    if (target.empty() || target.front() != '/') return false;
    return std::all_of(target.begin(), target.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

}  // namespace kcontrol::http

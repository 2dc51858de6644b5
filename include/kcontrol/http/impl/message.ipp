#pragma once

#include <kcontrol/http/ascii.hpp>
#include <kcontrol/http/message.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::http {

KCONTROL_DECL void fields::set(std::string_view name, std::string value) {
    erase(name);
    add(name, std::move(value));
}

KCONTROL_DECL void fields::add(std::string_view name, std::string value) {
    constexpr std::size_t usual = 4;  // at once, and not one by one
    if (fields_.empty()) fields_.reserve(usual);
    field& added = fields_.emplace_back();
    added.name = name;
    added.value = std::move(value);
}

KCONTROL_DECL void fields::erase(std::string_view name) {
    std::erase_if(fields_, [&](const field& f) { return iequals(f.name, name); });
}

KCONTROL_DECL std::string_view fields::get(std::string_view name) const noexcept {
    for (const auto& f : fields_) {
        if (iequals(f.name, name)) return f.value;
    }
    return {};
}

KCONTROL_DECL bool fields::contains(std::string_view name) const noexcept {
    return std::any_of(fields_.begin(), fields_.end(), [&](const field& f) { return iequals(f.name, name); });
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

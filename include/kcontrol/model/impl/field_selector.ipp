#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/model/field_selector.hpp>

#include <algorithm>
#include <optional>

namespace kcontrol::inline v0_1 {
namespace detail {

inline error bad_field_term(std::string_view term, std::string_view why) {
    return error(errc::invalid_argument,
                 "field selector term \"" + escape_control(term.substr(0, 256)) + "\": " + std::string(why));
}

// Undoes `\\`, `\,` and `\=`. A bare "=" or an escape of anything else is refused, as the server does.
inline std::optional<std::string> unescape_field_value(std::string_view text) {
    std::string value;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '=') return std::nullopt;
        if (text[i] == '\\') {
            if (++i == text.size() || (text[i] != '\\' && text[i] != ',' && text[i] != '=')) return std::nullopt;
        }
        value += text[i];
    }
    return value;
}

inline result<field_requirement> parse_field_term(std::string_view term) {
    const auto sign = term.find('=');
    if (sign == std::string_view::npos) return bad_field_term(term, "expected field=value or field!=value");
    const bool equals = sign == 0 || term[sign - 1] != '!';
    const auto field = term.substr(0, equals ? sign : sign - 1);
    if (field.empty()) return bad_field_term(term, "the field is missing");
    const bool doubled = equals && term.substr(sign).starts_with("==");
    auto value = unescape_field_value(term.substr(sign + (doubled ? 2 : 1)));
    if (!value) return bad_field_term(term, "in a value, write \\\\, \\, and \\= for \\ , and =");
    return field_requirement(std::string(field), std::move(*value), equals);
}

inline std::string print_field_term(const field_requirement& term) {
    std::string text = term.field + (term.equals ? "=" : "!=");
    for (const char c : term.value) {
        if (c == '\\' || c == ',' || c == '=') text += '\\';
        text += c;
    }
    return text;
}

}  // namespace detail

KCONTROL_DECL result<field_selector> field_selector::parse(std::string_view text) {
    std::vector<std::string_view> terms;
    std::size_t start = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i + 1 < text.size() && text[i] == '\\') {
            ++i;
            continue;
        }
        if (i < text.size() && text[i] != ',') continue;
        terms.push_back(text.substr(start, i - start));
        start = i + 1;
    }
    std::vector<field_requirement> requirements;
    for (const auto term : terms) {
        if (term.empty()) continue;
        auto requirement = detail::parse_field_term(term);
        if (!requirement) return requirement.error();
        requirements.push_back(std::move(*requirement));
    }
    // As they are printed, so that == and = come to the same.
    std::stable_sort(requirements.begin(), requirements.end(),
                     [](const field_requirement& a, const field_requirement& b) {
                         return detail::print_field_term(a) < detail::print_field_term(b);
                     });
    return field_selector(std::move(requirements));
}

KCONTROL_DECL std::string field_selector::to_string() const {
    std::string text;
    for (const auto& requirement : requirements_) {
        if (!text.empty()) text += ',';
        text += detail::print_field_term(requirement);
    }
    return text;
}

}  // namespace kcontrol

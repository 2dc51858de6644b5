#pragma once

#include <kcontrol/model/names.hpp>

#include <algorithm>
#include <initializer_list>

namespace kcontrol::inline v0_1 {
namespace detail {

inline bool is_lower_alphanumeric(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
inline bool is_ascii_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_alphanumeric(char c) noexcept { return is_ascii_letter(c) || (c >= '0' && c <= '9'); }
inline bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// [a-z0-9]([-a-z0-9]*[a-z0-9])?
inline bool has_dns_label_form(std::string_view text) noexcept {
    if (text.empty() || !is_lower_alphanumeric(text.front()) || !is_lower_alphanumeric(text.back())) return false;
    return std::all_of(text.begin(), text.end(), [](char c) { return is_lower_alphanumeric(c) || c == '-'; });
}

inline bool has_dns_subdomain_form(std::string_view text) noexcept {
    for (;;) {
        const auto dot = text.find('.');
        if (!has_dns_label_form(text.substr(0, dot))) return false;
        if (dot == std::string_view::npos) return true;
        text.remove_prefix(dot + 1);
    }
}

// ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]
inline bool has_label_word_form(std::string_view text) noexcept {
    if (text.empty() || !is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) return false;
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

// Kubernetes says "bytes" where labels are checked and "characters" elsewhere; bytes are meant.
inline std::string too_long_problem(std::size_t limit, std::string_view unit = "characters") {
    return "must be no more than " + std::to_string(limit) + " " + std::string(unit);
}

inline std::string form_problem(std::string message, std::string_view regex,
                                std::initializer_list<const char*> examples) {
    message += " (e.g. ";
    const char* separator = "'";
    for (const char* example : examples) {
        message.append(separator).append(example).append("', ");
        separator = " or '";
    }
    return message.append("regex used for validation is '").append(regex).append("')");
}

inline constexpr std::string_view dns_label_regex = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
inline constexpr std::string_view dns_subdomain_regex =
    "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
inline constexpr std::string_view label_word_regex = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

inline std::string label_key_problem() {
    return form_problem(
        "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
        "character",
        label_word_regex, {"MyName", "my.name", "123-abc"});
}

// Keys become file names, and variables are written into scripts.
inline void add_parent_path_problems(std::string_view text, name_problems& to) {
    if (text == ".") {
        to.push_back("must not be '.'");
    } else if (text == "..") {
        to.push_back("must not be '..'");
    } else if (text.starts_with("..")) {
        to.push_back("must not start with '..'");
    }
}

inline name_problems subdomain_problems(std::string_view text, std::string_view unit) {
    name_problems out;
    if (text.size() > 253) out.push_back(too_long_problem(253, unit));
    if (!has_dns_subdomain_form(text)) {
        out.push_back(form_problem(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
            "start and end with an alphanumeric character",
            dns_subdomain_regex, {"example.com"}));
    }
    return out;
}

}  // namespace detail

KCONTROL_DECL name_problems check_dns1123_label(std::string_view text) {
    name_problems out;
    if (text.size() > 63) out.push_back(detail::too_long_problem(63));
    if (detail::has_dns_label_form(text)) return out;
    if (detail::has_dns_subdomain_form(text)) {
        out.push_back("must not contain dots");
    } else {
        out.push_back(detail::form_problem(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and "
            "end with an alphanumeric character",
            detail::dns_label_regex, {"my-name", "123-abc"}));
    }
    return out;
}

KCONTROL_DECL name_problems check_dns1123_subdomain(std::string_view text) {
    return detail::subdomain_problems(text, "characters");
}

KCONTROL_DECL name_problems check_dns1035_label(std::string_view text) {
    name_problems out;
    if (text.size() > 63) out.push_back(detail::too_long_problem(63));
    if (!detail::has_dns_label_form(text) || detail::is_digit(text.front())) {
        out.push_back(detail::form_problem(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
            "character, and end with an alphanumeric character",
            "[a-z]([-a-z0-9]*[a-z0-9])?", {"my-name", "abc-123"}));
    }
    return out;
}

KCONTROL_DECL name_problems check_label_key(std::string_view text) {
    name_problems out;
    if (std::count(text.begin(), text.end(), '/') > 1) {
        out.push_back("a valid label key " + detail::label_key_problem() +
                      " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
        return out;
    }
    const auto slash = text.find('/');
    if (slash == 0) out.push_back("prefix part must be non-empty");
    if (slash != 0 && slash != std::string_view::npos) {
        for (auto& problem : detail::subdomain_problems(text.substr(0, slash), "bytes"))
            out.push_back("prefix part " + problem);
    }
    const auto name = slash == std::string_view::npos ? text : text.substr(slash + 1);
    if (name.empty()) out.push_back("name part must be non-empty");
    if (name.size() > 63) out.push_back("name part " + detail::too_long_problem(63, "bytes"));
    if (!detail::has_label_word_form(name)) out.push_back("name part " + detail::label_key_problem());
    return out;
}

KCONTROL_DECL name_problems check_label_value(std::string_view text) {
    name_problems out;
    if (text.size() > 63) out.push_back(detail::too_long_problem(63, "bytes"));
    if (!text.empty() && !detail::has_label_word_form(text)) {
        out.push_back(detail::form_problem(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
            "start and end with an alphanumeric character",
            "(" + std::string(detail::label_word_regex) + ")?", {"MyValue", "my_value", "12345"}));
    }
    return out;
}

KCONTROL_DECL name_problems check_port_name(std::string_view text) {
    name_problems out;
    if (text.size() > 15) out.push_back(detail::too_long_problem(15));
    const auto allowed = [](char c) { return detail::is_lower_alphanumeric(c) || c == '-'; };
    if (text.empty() || !std::all_of(text.begin(), text.end(), allowed)) {
        out.push_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
    }
    if (std::none_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; })) {
        out.push_back("must contain at least one letter (a-z)");
    }
    if (text.find("--") != std::string_view::npos) out.push_back("must not contain consecutive hyphens");
    if (text.starts_with('-') || text.ends_with('-')) out.push_back("must not begin or end with a hyphen");
    return out;
}

KCONTROL_DECL name_problems check_config_map_key(std::string_view text) {
    name_problems out;
    if (text.size() > 253) out.push_back(detail::too_long_problem(253));
    const auto allowed = [](char c) { return detail::is_alphanumeric(c) || c == '-' || c == '.' || c == '_'; };
    if (text.empty() || !std::all_of(text.begin(), text.end(), allowed)) {
        out.push_back(
            detail::form_problem("a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
                                 "[-._a-zA-Z0-9]+", {"key.name", "KEY_NAME", "key-name"}));
    }
    detail::add_parent_path_problems(text, out);
    return out;
}

KCONTROL_DECL name_problems check_env_var_name(std::string_view text) {
    name_problems out;
    const auto allowed = [](char c) { return detail::is_alphanumeric(c) || c == '-' || c == '.' || c == '_'; };
    if (text.empty() || detail::is_digit(text.front()) || !std::all_of(text.begin(), text.end(), allowed)) {
        out.push_back(detail::form_problem(
            "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and "
            "must not start with a digit",
            "[-._a-zA-Z][-._a-zA-Z0-9]*", {"my.env-name", "MY_ENV.NAME", "MyEnvName1"}));
    }
    detail::add_parent_path_problems(text, out);
    return out;
}

KCONTROL_DECL std::string join_problems(const name_problems& problems) {
    std::string out;
    for (const auto& problem : problems) out += (out.empty() ? "" : "; ") + problem;
    return out;
}

}  // namespace kcontrol

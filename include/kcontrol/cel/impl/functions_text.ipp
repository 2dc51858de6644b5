#pragma once

#include <kcontrol/cel/impl/functions.hpp>
#include <kcontrol/schema/pattern_search.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

namespace kcontrol::inline v0_1::cel::detail {

KCONTROL_DECL std::vector<std::string> characters_of(std::string_view text) {
    std::vector<std::string> out;
    for (const char c : text) {
        if (!out.empty() && (static_cast<unsigned char>(c) & 0xC0U) == 0x80U) {
            out.back() += c;
        } else {
            out.emplace_back(1, c);
        }
    }
    return out;
}

inline std::string joined_characters(const std::vector<std::string>& all, std::size_t from, std::size_t to) {
    std::string out;
    for (std::size_t i = from; i < to; ++i) out += all[i];
    return out;
}

inline value list_of_texts(std::vector<std::string> texts) {
    return list_value(std::vector<value>(std::make_move_iterator(texts.begin()), std::make_move_iterator(texts.end())));
}

// As unicode.IsSpace of Go.
inline bool is_space(std::string_view character) {
    static constexpr std::string_view spaces[] = {" ",      "\t",     "\n",     "\v",     "\f",     "\r",     "\u0085",
                                                  "\u00A0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004",
                                                  "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200A", "\u2028",
                                                  "\u2029", "\u202F", "\u205F", "\u3000"};
    return std::find(std::begin(spaces), std::end(spaces), character) != std::end(spaces);
}

inline std::string trimmed(const std::string& text) {
    const auto all = characters_of(text);
    std::size_t from = 0, to = all.size();
    while (from < to && is_space(all[from])) ++from;
    while (to > from && is_space(all[to - 1])) --to;
    return joined_characters(all, from, to);
}

inline std::string ascii_case(std::string text, char from, char to, int by) {
    for (char& c : text) {
        if (c >= from && c <= to) c = static_cast<char>(c + by);
    }
    return text;
}

inline error out_of_range(std::int64_t index) {
    return evaluation_error("index out of range: " + std::to_string(index));
}

inline value_result index_of_text(const std::string& text, const std::string& part, const std::int64_t* offset) {
    const std::int64_t from = offset != nullptr ? *offset : 0;
    if (part.empty()) return value(from);
    if (from < 0) return out_of_range(from);
    const auto all = characters_of(text), wanted = characters_of(part);
    if (from >= static_cast<std::int64_t>(all.size())) return value(std::int64_t(-1));
    const auto found = std::search(all.begin() + from, all.end(), wanted.begin(), wanted.end());
    return value(found == all.end() ? std::int64_t(-1) : std::int64_t(found - all.begin()));
}

inline value_result last_index_of_text(const std::string& text, const std::string& part, const std::int64_t* offset) {
    const auto all = characters_of(text), wanted = characters_of(part);
    const auto size = static_cast<std::int64_t>(all.size());
    if (part.empty()) return value(offset != nullptr ? *offset : size);
    const std::int64_t from = offset != nullptr ? *offset : size - 1;
    if (from < 0 && offset != nullptr) return out_of_range(from);
    if (from >= size) return value(std::int64_t(-1));
    std::int64_t last = -1;
    for (std::int64_t i = 0; i <= from && i + static_cast<std::int64_t>(wanted.size()) <= size; ++i) {
        if (std::equal(wanted.begin(), wanted.end(), all.begin() + i)) last = i;
    }
    return value(last);
}

inline std::string replaced(const std::string& text, const std::string& old, const std::string& by, std::int64_t most) {
    std::string out;
    if (old.empty()) {
        // Before each character, and at the end.
        for (const auto& one : characters_of(text)) {
            if (most != 0) out += by;
            if (most > 0) --most;
            out += one;
        }
        return most != 0 ? out + by : out;
    }
    std::size_t from = 0;
    for (auto at = text.find(old); at != std::string::npos && most != 0; at = text.find(old, from)) {
        out += text.substr(from, at - from) + by;
        from = at + old.size();
        if (most > 0) --most;
    }
    return out + text.substr(from);
}

inline value split_text(const std::string& text, const std::string& at, std::int64_t most) {
    std::vector<std::string> out;
    if (most == 0) return list_of_texts({});
    const auto is_full = [&] { return most > 0 && static_cast<std::int64_t>(out.size()) + 1 >= most; };
    if (at.empty()) {
        const auto all = characters_of(text);
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (is_full()) {
                out.push_back(joined_characters(all, i, all.size()));
                break;
            }
            out.push_back(all[i]);
        }
        return list_of_texts(std::move(out));
    }
    std::size_t from = 0;
    for (auto found = text.find(at); found != std::string::npos && !is_full(); found = text.find(at, from)) {
        out.push_back(text.substr(from, found - from));
        from = found + at.size();
    }
    out.push_back(text.substr(from));
    return list_of_texts(std::move(out));
}

inline value_result substring(const std::string& text, std::int64_t from, const std::int64_t* end) {
    const auto all = characters_of(text);
    const auto size = static_cast<std::int64_t>(all.size());
    const std::int64_t to = end != nullptr ? *end : size;
    if (end != nullptr && from > to) {
        return evaluation_error("invalid substring range. start: " + std::to_string(from) +
                                ", end: " + std::to_string(to));
    }
    if (from < 0 || from > size) return out_of_range(from);
    if (to < 0 || to > size) return out_of_range(to);
    return value(joined_characters(all, static_cast<std::size_t>(from), static_cast<std::size_t>(to)));
}

inline std::string quoted_text(const std::string& text) {
    constexpr std::string_view meant = "\a\b\f\n\r\t\v\\\"", names = "abfnrtv\\\"";
    std::string out = "\"";
    for (const char c : text) {
        const std::size_t known = meant.find(c);
        if (known == std::string_view::npos) {
            out += c;
        } else {
            out += '\\';
            out += names[known];
        }
    }
    return out + "\"";
}

inline function_answer matched(const std::string& text, const std::string& pattern, text_checks& texts) {
    const std::string broken = texts.problem_of(pattern);
    if (!broken.empty()) return evaluation_error("error parsing regexp: " + broken);
    return value(texts.matches(pattern, text));
}

// Calls with nothing but texts; nothing: none of them.
inline function_answer call_with_texts(std::string_view name, const std::string& text, const std::string& part,
                                       text_checks& texts) {
    if (name == "contains") return value(text.find(part) != std::string::npos);
    if (name == "startsWith") return value(text.starts_with(part));
    if (name == "endsWith") return value(text.ends_with(part));
    if (name == "matches") return matched(text, part, texts);
    return std::nullopt;
}

inline function_answer found_parts(std::string_view name, const std::string& text, const std::string& pattern,
                                   std::int64_t most) {
    auto found = find_pattern(pattern, text, name == "find" ? 1 : most);
    if (!found) return evaluation_error("Illegal regex: " + found.error().message());
    if (name == "findAll") return list_of_texts(std::move(*found));
    return value(found->empty() ? std::string() : found->front());
}

KCONTROL_DECL function_answer call_text_function(std::string_view name, const function_arguments& arguments,
                                                 text_checks& texts) {
    const auto* text = arguments[0].get<std::string>();
    if (text == nullptr) return std::nullopt;
    if (arguments.size() == 1) {
        if (name == "lowerAscii") return value(ascii_case(*text, 'A', 'Z', 'a' - 'A'));
        if (name == "upperAscii") return value(ascii_case(*text, 'a', 'z', 'A' - 'a'));
        if (name == "trim") return value(trimmed(*text));
        if (name == "strings.quote") return value(quoted_text(*text));
        return std::nullopt;
    }
    const value& first = arguments[1];
    const auto* number = arguments.back().get<std::int64_t>();
    if (const auto* at = first.get<std::int64_t>()) {
        if (name == "substring" && number != nullptr) {
            return substring(*text, *at, arguments.size() == 3 ? number : nullptr);
        }
        if (name != "charAt") return std::nullopt;
        const auto all = characters_of(*text);
        if (*at < 0 || *at > static_cast<std::int64_t>(all.size())) return out_of_range(*at);
        return value(*at == static_cast<std::int64_t>(all.size()) ? std::string() : all[static_cast<std::size_t>(*at)]);
    }
    if (const auto* list = first.get<list_value>(); list != nullptr && name == "format") {
        return format_text(*text, *list);
    }
    const auto* part = first.get<std::string>();
    if (part == nullptr) return std::nullopt;
    if (name == "replace") {
        const auto* by = arguments.size() < 3 ? nullptr : arguments[2].get<std::string>();
        if (by == nullptr || (arguments.size() == 4 && number == nullptr)) return std::nullopt;
        return value(replaced(*text, *part, *by, number != nullptr ? *number : -1));
    }
    if (arguments.size() == 3 && number == nullptr) return std::nullopt;
    if (name == "indexOf") return index_of_text(*text, *part, number);
    if (name == "lastIndexOf") return last_index_of_text(*text, *part, number);
    if (name == "split") return split_text(*text, *part, number != nullptr ? *number : -1);
    if (name == "find" || name == "findAll") return found_parts(name, *text, *part, number != nullptr ? *number : -1);
    return arguments.size() == 2 ? call_with_texts(name, *text, *part, texts) : std::nullopt;
}

}  // namespace kcontrol::cel::detail

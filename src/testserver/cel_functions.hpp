// What CEL's operators and functions make of values.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/schema/text_checks.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::testing::detail {

using cel_result = result<json::value>;

inline error cel_error(std::string what) { return error(errc::invalid_argument, std::move(what)); }

inline error cel_no_overload() { return cel_error("no such overload"); }

inline std::optional<int> compare_cel(const json::value& a, const json::value& b) {
    const auto order = [](const auto& x, const auto& y) { return x < y ? -1 : y < x ? 1 : 0; };
    if (a.is_int64() && b.is_int64()) return order(a.get_int64(), b.get_int64());
    if (a.is_number() && b.is_number()) return order(a.to_number<double>(), b.to_number<double>());
    if (a.is_string() && b.is_string()) return order(a.get_string(), b.get_string());
    if (a.is_bool() && b.is_bool()) return order(a.get_bool(), b.get_bool());
    return std::nullopt;
}

inline std::int64_t cel_size(const json::value& v) {
    if (v.is_array()) return static_cast<std::int64_t>(v.get_array().size());
    if (v.is_object()) return static_cast<std::int64_t>(v.get_object().size());
    const std::string_view text = v.get_string();
    return std::count_if(text.begin(), text.end(),
                         [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
}

inline cel_result compute_cel(char sign, const json::value& a, const json::value& b) {
    if (sign == '+' && a.is_string() && b.is_string()) {
        return json::value(std::string(a.get_string()) + std::string(b.get_string()));
    }
    if (sign == '+' && a.is_array() && b.is_array()) {
        json::array all = a.get_array();
        for (const auto& one : b.get_array()) all.push_back(one);
        return json::value(std::move(all));
    }
    if (a.is_double() && b.is_double()) {
        const double x = a.get_double(), y = b.get_double();
        if (sign == '%') return cel_no_overload();
        return json::value(sign == '+' ? x + y : sign == '-' ? x - y : sign == '*' ? x * y : x / y);
    }
    if (!a.is_int64() || !b.is_int64()) return cel_no_overload();
    const std::int64_t x = a.get_int64(), y = b.get_int64();
    std::int64_t out = 0;
    bool overflows = false;
    if (sign == '+') overflows = __builtin_add_overflow(x, y, &out);
    if (sign == '-') overflows = __builtin_sub_overflow(x, y, &out);
    if (sign == '*') overflows = __builtin_mul_overflow(x, y, &out);
    if (sign == '/' || sign == '%') {
        if (y == 0) return cel_error(sign == '/' ? "division by zero" : "modulus by zero");
        overflows = y == -1 && x == std::numeric_limits<std::int64_t>::min();
        if (!overflows) out = sign == '/' ? x / y : x % y;
    }
    if (overflows) return cel_error("integer overflow");
    return json::value(out);
}

inline cel_result convert_cel(const std::string& to, const json::value& v) {
    if (to == "string") {
        if (v.is_string()) return v;
        return json::value(json::serialize(v));
    }
    if (v.is_string()) {
        const std::string_view text = v.get_string();
        const char* const last = text.data() + text.size();
        if (to == "int") {
            std::int64_t whole = 0;
            const auto read = std::from_chars(text.data(), last, whole);
            if (read.ptr == last && read.ec == std::errc()) return json::value(whole);
        } else {
            double fraction = 0;
            const auto read = std::from_chars(text.data(), last, fraction);
            if (read.ptr == last && read.ec == std::errc()) return json::value(fraction);
        }
        return cel_error("type conversion error from 'string' to '" + to + "'");
    }
    if (!v.is_number()) return cel_no_overload();
    if (to == "double") return json::value(v.to_number<double>());
    if (v.is_int64()) return v;
    // cel-go, common/types/overflow.go: the bounds themselves are refused, and what is no number.
    constexpr double bound = 9223372036854775808.0;
    const double fraction = v.to_number<double>();
    if (!(fraction > -bound && fraction < bound)) return cel_error("integer overflow");
    return json::value(static_cast<std::int64_t>(fraction));
}

inline cel_result call_cel_of_list(const std::string& name, const std::vector<json::value>& arguments) {
    const json::array& all = arguments[0].get_array();
    if (name == "indexOf" && arguments.size() == 2) {
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const json::value& one) { return json::equal(one, arguments[1]); });
        return json::value(found == all.end() ? std::int64_t(-1) : std::int64_t(found - all.begin()));
    }
    if (name == "sum") {
        json::value sum(std::int64_t(0));
        for (const auto& one : all) {
            if (&one == &all.front()) {
                sum = one;
                continue;
            }
            auto added = compute_cel('+', sum, one);
            if (!added) return added;
            sum = std::move(*added);
        }
        return sum;
    }
    const bool sorted = name == "isSorted";
    if (!sorted && name != "min" && name != "max") return cel_no_overload();
    if (all.empty()) {
        if (sorted) return json::value(true);
        return cel_error(name + " called on empty list");
    }
    const json::value* best = &all.front();
    for (const auto& one : all) {
        const auto order = compare_cel(one, *best);
        if (!order) return cel_no_overload();
        if (sorted && *order < 0) return json::value(false);
        if (sorted || (name == "min" ? *order < 0 : *order > 0)) best = &one;
    }
    if (sorted) return json::value(true);
    return json::value(*best);
}

inline cel_result call_cel_of_text(const std::string& name, const std::vector<json::value>& arguments,
                                   text_checks& texts) {
    const std::string text(arguments[0].get_string());
    const auto changed = [&text](char from, char to, int by) {
        std::string out = text;
        for (char& c : out) {
            if (c >= from && c <= to) c = static_cast<char>(c + by);
        }
        return json::value(out);
    };
    if (arguments.size() == 1) {
        if (name == "lowerAscii") return changed('A', 'Z', 'a' - 'A');
        if (name == "upperAscii") return changed('a', 'z', 'A' - 'a');
        if (name != "trim") return cel_no_overload();
        const auto first = text.find_first_not_of(" \t\r\n");
        if (first == std::string::npos) return json::value("");
        return json::value(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
    }
    if (arguments.size() != 2 || !arguments[1].is_string()) return cel_no_overload();
    const std::string part(arguments[1].get_string());
    if (name == "contains") return json::value(text.find(part) != std::string::npos);
    if (name == "startsWith") return json::value(text.starts_with(part));
    if (name == "endsWith") return json::value(text.ends_with(part));
    if (name == "indexOf") {
        const auto at = text.find(part);
        return json::value(at == std::string::npos ? std::int64_t(-1) : cel_size(json::value(text.substr(0, at))));
    }
    if (name == "matches") {
        const std::string broken = texts.problem_of(part);
        if (!broken.empty()) return cel_error("error parsing regexp: " + broken);
        return json::value(texts.matches(part, text));
    }
    if (name != "split" || part.empty()) return cel_no_overload();
    json::array out;
    std::size_t from = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, from)) {
        out.push_back(json::value(text.substr(from, at - from)));
        from = at + part.size();
    }
    out.push_back(json::value(text.substr(from)));
    return json::value(std::move(out));
}

}  // namespace kcontrol::testing::detail

#pragma once

#include <kcontrol/base/utf8.hpp>
#include <kcontrol/metrics/exposition.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace kcontrol::inline v0_1 {
namespace detail {

inline void append_label_value(std::string& out, std::string_view value) {
    while (!value.empty()) {
        const char c = value.front();
        const std::size_t length = utf8_sequence_length(value);
        if (length == 0) {
            out += utf8_replacement;
        } else if (c == '\n') {
            out += "\\n";
        } else {
            if (c == '\\' || c == '"') out += '\\';
            out += value.substr(0, length);
        }
        value.remove_prefix(std::max<std::size_t>(length, 1));
    }
}

inline void append_help(std::string& out, std::string_view help) {
    for (const char c : help) {
        if (c == '\n') {
            out += "\\n";
        } else {
            if (c == '\\') out += '\\';
            out += c;
        }
    }
}

}  // namespace detail

KCONTROL_DECL std::string exposition::number(double value) {
    constexpr double exact = 9007199254740992;  // 2^53
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
    if (std::trunc(value) == value && std::abs(value) < exact) return std::to_string(static_cast<std::int64_t>(value));
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return std::string(text.data(), end);
}

KCONTROL_DECL void exposition::family(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    head_.clear();
    if (!help.empty()) {
        head_.append("# HELP ").append(name).append(" ");
        detail::append_help(head_, help);
        head_ += '\n';
    }
    head_.append("# TYPE ").append(name).append(" ").append(type).append("\n");
}

inline void exposition::add(char& before, const label& one) {
    out_ += before;
    before = ',';
    out_.append(one.first).append("=\"");
    detail::append_label_value(out_, one.second);
    out_ += '"';
}

KCONTROL_DECL void exposition::line(std::string_view suffix, labels with, label last, const std::string& value) {
    out_ += std::exchange(head_, {});
    out_.append(name_).append(suffix);
    char before = '{';
    for (const auto& one : with) add(before, one);
    if (!last.first.empty()) add(before, last);
    if (before == ',') out_ += '}';
    out_.append(" ").append(value).append("\n");
}

KCONTROL_DECL void exposition::sample(labels with, std::span<const double> bounds,
                                      std::span<const std::uint64_t> counts, double sum) {
    const auto count = [counts](std::size_t i) { return i < counts.size() ? counts[i] : 0; };
    std::uint64_t up_to = 0;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
        up_to += count(i);
        const std::string bound = number(bounds[i]);
        line("_bucket", with, {"le", bound}, std::to_string(up_to));
    }
    const std::string all = std::to_string(up_to + count(bounds.size()));
    line("_bucket", with, {"le", "+Inf"}, all);
    line("_sum", with, {}, number(sum));
    line("_count", with, {}, all);
}

}  // namespace kcontrol

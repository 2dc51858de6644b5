#include "shared/exposition.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace examples {

std::string exposition::number(double value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return std::string(text.data(), end);
}

void exposition::add(char& before, const label& one) {
    out_ += before;
    before = ',';
    out_.append(one.first).append("=\"");
    for (const char c : one.second) {
        if (c == '\n') {
            out_ += "\\n";
            continue;
        }
        if (c == '\\' || c == '"') out_ += '\\';
        out_ += c;
    }
    out_ += '"';
}

void exposition::line(std::string_view suffix, labels with, label last, const std::string& value) {
    out_ += std::exchange(head_, {});
    out_.append(name_).append(suffix);
    char before = '{';
    for (const auto& one : with) add(before, one);
    if (!last.first.empty()) add(before, last);
    if (before == ',') out_ += '}';
    out_.append(" ").append(value).append("\n");
}

std::string whole_or_shortest(double value) {
    constexpr double exact = 9007199254740992;  // 2^53
    if (std::trunc(value) == value && std::abs(value) < exact) return std::to_string(static_cast<std::int64_t>(value));
    return exposition::number(value);
}

}  // namespace examples

#include "shared/exposition.hpp"

#include <kcontrol/base/utf8.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace examples {
namespace {

// A label's value as it is written. What is not UTF-8 becomes U+FFFD, as one such byte costs Prometheus all of the
// text.
void append_value(std::string& out, std::string_view value) {
    while (!value.empty()) {
        const char c = value.front();
        const std::size_t length = kcontrol::utf8_sequence_length(value);
        if (length == 0) {
            out += kcontrol::utf8_replacement;
        } else if (c == '\n') {
            out += "\\n";
        } else {
            if (c == '\\' || c == '"') out += '\\';
            out += value.substr(0, length);
        }
        value.remove_prefix(std::max<std::size_t>(length, 1));
    }
}

}  // namespace

std::string exposition::number(double value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return std::string(text.data(), end);
}

void exposition::add(char& before, const label& one) {
    out_ += before;
    before = ',';
    out_.append(one.first).append("=\"");
    append_value(out_, one.second);
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

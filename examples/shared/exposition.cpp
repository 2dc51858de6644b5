#include "shared/exposition.hpp"

#include <boost/locale/utf.hpp>

#include <array>
#include <charconv>
#include <cmath>

namespace examples {
namespace {

// A label's value as it is written. What is not UTF-8 becomes U+FFFD, as one such byte costs Prometheus all of the
// text.
void append_value(std::string& out, std::string_view value) {
    using utf8 = boost::locale::utf::utf_traits<char>;
    for (const char* at = value.data(); at != value.data() + value.size();) {
        const char* const begin = at;
        const auto point = utf8::decode(at, value.data() + value.size());
        if (!boost::locale::utf::is_valid_codepoint(point)) {
            at = begin + 1;
            out += "\xef\xbf\xbd";
        } else if (point == '\n') {
            out += "\\n";
        } else {
            if (point == '\\' || point == '"') out += '\\';
            out.append(begin, at);
        }
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

#include "metrics/text_format.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace gpu_labeler {
namespace {

std::string escaped(std::string_view value) {
    std::string out;
    for (const char c : value) {
        if (c == '\n') {
            out += "\\n";
            continue;
        }
        if (c == '\\' || c == '"') out += '\\';
        out += c;
    }
    return out;
}

std::string number(double value) {
    constexpr double exact = 9007199254740992;  // 2^53
    if (std::trunc(value) == value && std::abs(value) < exact) return std::to_string(static_cast<std::int64_t>(value));
    std::array<char, 32> buffer{};
    const auto [end, failed] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return failed == std::errc() ? std::string(buffer.data(), end) : "NaN";
}

}  // namespace

void text_format::metric(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    type_ = type;
    help_ = help;
    begun_ = false;
}

void text_format::add(const metric_labels& labels, double value) {
    if (!begun_) {
        text_ += "# HELP " + std::string(name_) + " " + std::string(help_) + "\n";
        text_ += "# TYPE " + std::string(name_) + " " + std::string(type_) + "\n";
        begun_ = true;
    }
    text_ += name_;
    std::string_view before = "{";
    for (const auto& [label, content] : labels) {
        text_ += before;
        text_ += label;
        text_ += "=\"" + escaped(content) + "\"";
        before = ",";
    }
    if (!labels.empty()) text_ += '}';
    text_ += " " + number(value) + "\n";
}

}  // namespace gpu_labeler

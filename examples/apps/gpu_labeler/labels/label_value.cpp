#include "labels/label_value.hpp"

namespace gpu_labeler {
namespace {

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

std::string label_value(std::string_view text) {
    std::string value;
    bool gap = false;
    for (const char c : text) {
        if (is_blank(c)) {
            gap = true;
            continue;
        }
        if (!is_letter_or_digit(c) && c != '-' && c != '_' && c != '.') continue;
        if (value.empty() && !is_letter_or_digit(c)) continue;
        if (gap && !value.empty()) value += '-';
        gap = false;
        value += c;
    }
    if (value.size() > longest_label_value) value.resize(longest_label_value);
    while (!value.empty() && !is_letter_or_digit(value.back())) value.pop_back();
    return value;
}

}  // namespace gpu_labeler

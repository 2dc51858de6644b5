#include "json_text.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

namespace kc {
namespace {

namespace json = kcontrol::json;

// Texts without characters that HTML or JavaScript would take for their own.
void append_scalar(std::string& out, const json::value& one) {
    constexpr std::pair<std::string_view, std::string_view> escapes[] = {
        {"<", "\\u003c"}, {">", "\\u003e"}, {"&", "\\u0026"}, {"\xe2\x80\xa8", "\\u2028"}, {"\xe2\x80\xa9", "\\u2029"}};
    const std::string text = json::serialize(one);
    for (std::string_view left = text; !left.empty();) {
        const auto* const found = std::find_if(std::begin(escapes), std::end(escapes),
                                               [left](const auto& escape) { return left.starts_with(escape.first); });
        const bool plain = found == std::end(escapes);
        out += plain ? left.substr(0, 1) : found->second;
        left.remove_prefix(plain ? 1 : found->first.size());
    }
}

void append(std::string& out, const json::value& one, std::size_t depth);

// `parts` are what comes before each value, in their order.
void append_all(std::string& out, const std::vector<std::pair<std::string, const json::value*>>& parts,
                std::string_view ends, std::size_t depth) {
    constexpr std::size_t step = 4;
    out += ends.front();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        out += i == 0 ? "\n" : ",\n";
        out.append(step * (depth + 1), ' ').append(parts[i].first);
        append(out, *parts[i].second, depth + 1);
    }
    if (!parts.empty()) out.append("\n").append(step * depth, ' ');
    out += ends.back();
}

void append(std::string& out, const json::value& one, std::size_t depth) {
    std::vector<std::pair<std::string, const json::value*>> parts;
    if (const auto* list = one.if_array()) {
        for (const auto& item : *list) parts.emplace_back(std::string(), &item);
        return append_all(out, parts, "[]", depth);
    }
    const auto* members = one.if_object();
    if (members == nullptr) return append_scalar(out, one);
    std::vector<std::string_view> names;
    for (const auto& member : *members) names.push_back(member.key());
    std::sort(names.begin(), names.end());
    for (const auto& name : names) {
        std::string before;
        append_scalar(before, json::value(name));
        parts.emplace_back(before + ": ", &members->at(name));
    }
    append_all(out, parts, "{}", depth);
}

}  // namespace

std::string indented_json(const json::value& whole) {
    std::string out;
    append(out, whole, 0);
    return out;
}

}  // namespace kc

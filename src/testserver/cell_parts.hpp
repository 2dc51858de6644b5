// What the cells of several kinds have in common: ages, counts, containers, selectors, lists with an end.
#pragma once

#include "testserver/selector_text.hpp"
#include "testserver/timestamp.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::testing::detail {

using cell_path = std::initializer_list<std::string_view>;

inline std::string text_in(const json::value& object, cell_path path, std::string_view otherwise = {}) {
    const std::string_view found = json::get_string(object, path);
    return std::string(found.empty() ? otherwise : found);
}

inline std::int64_t number_in(const json::value& object, cell_path path, std::int64_t otherwise = 0) {
    const json::value* found = json::find(object, path);
    return found != nullptr && found->is_int64() ? found->get_int64() : otherwise;
}

inline bool flag_in(const json::value& object, cell_path path) {
    const json::value* found = json::find(object, path);
    return found != nullptr && *found == true;
}

inline const json::array& list_in(const json::value& object, cell_path path) {
    static const json::array none;
    const json::value* found = json::find(object, path);
    return found != nullptr && found->is_array() ? found->get_array() : none;
}

inline std::size_t size_in(const json::value& object, cell_path path) {
    const json::value* found = json::find(object, path);
    return found != nullptr && found->is_object() ? found->get_object().size() : 0;
}

inline std::string name_in(const json::value& object) { return text_in(object, {"metadata", "name"}); }

inline std::string joined(const std::vector<std::string>& parts, std::string_view separator = ",") {
    std::string out;
    for (const auto& part : parts) out.append(out.empty() && &part == &parts.front() ? "" : separator).append(part);
    return out;
}

inline std::string age_of(const json::value& object, wall_time now) {
    return age_text(json::get_string(object, {"metadata", "creationTimestamp"}), now);
}

inline std::string quotient(std::int64_t part, std::int64_t whole) {
    return std::to_string(part) + "/" + std::to_string(whole);
}

inline std::string of_containers(const json::value& pod_spec, std::string_view member) {
    std::vector<std::string> parts;
    for (const auto& container : list_in(pod_spec, {"containers"})) parts.push_back(text_in(container, {member}));
    return joined(parts);
}

inline const json::value& value_in(const json::value& object, cell_path path) {
    static const json::value nothing;
    const json::value* found = json::find(object, path);
    return found == nullptr ? nothing : *found;
}

// "a=b,c=d".
inline std::string shown_labels(const json::value& labels) {
    std::map<std::string, std::string> sorted;
    if (labels.is_object()) {
        for (const auto& one : labels.get_object()) {
            if (one.value().is_string()) sorted.emplace(one.key(), one.value().get_string());
        }
    }
    std::vector<std::string> parts;
    for (const auto& [key, value] : sorted) parts.push_back(key + "=" + value);
    return parts.empty() ? "<none>" : joined(parts);
}

inline std::string shown_selector(const json::value& selector) {
    const std::string text = text_of_selector(&selector);
    return text.empty() ? "<none>" : text;
}

// The first few, and how many more.
inline std::string first_of(const std::vector<std::string>& all, std::size_t most, std::string_view separator = ",") {
    if (all.size() <= most) return joined(all, separator);
    const std::vector<std::string> some(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most));
    return joined(some, separator) + " + " + std::to_string(all.size() - most) + " more...";
}

// A number or a percentage, as IntOrString shows it.
inline std::string shown_amount(const json::value& v, std::string_view otherwise) {
    if (v.is_string()) return std::string(v.get_string());
    return v.is_int64() ? std::to_string(v.get_int64()) : std::string(otherwise);
}

inline std::string state_of_condition(const json::value& object, std::string_view type) {
    for (const auto& one : list_in(object, {"status", "conditions"})) {
        if (json::get_string(one, {"type"}) == type) return text_in(one, {"status"});
    }
    return {};
}

}  // namespace kcontrol::testing::detail

#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/client/wait_conditions.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/documents/value.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL std::function<bool(const any_object&)> condition_is(std::string type, std::string status) {
    return [type = std::move(type), status = std::move(status)](const any_object& object) {
        if (!object) return false;
        const json::value all = object.get<dynamic_object>().content.get({"status", "conditions"});
        if (!all.is_array()) return false;
        for (const auto& one : all.get_array()) {
            if (json::get_string(one, {"type"}) != type) continue;
            const auto* const seen = json::find(one, {"observedGeneration"});
            const auto& now = object.meta().generation;
            if (seen != nullptr && seen->is_int64() && now && seen->get_int64() < *now) return false;
            return json::get_string(one, {"status"}) == status;
        }
        return false;
    };
}

KCONTROL_DECL std::function<bool(const any_object&)> field_is(std::string pointer, std::string value) {
    return [pointer = std::move(pointer), value = std::move(value)](const any_object& object) {
        if (!object) return false;
        const json::value tree = object.get<dynamic_object>().content.tree();
        boost::system::error_code absent;
        const auto* const found = tree.find_pointer(pointer, absent);
        if (found == nullptr) return false;
        return (found->is_string() ? std::string(found->get_string()) : json::serialize(*found)) == value;
    };
}

KCONTROL_DECL result<std::function<bool(const any_object&)>> parse_wait_condition(std::string_view text) {
    constexpr std::string_view condition = "condition=", path = "jsonpath={.", path_end = "}=";
    const std::function<bool(const any_object&)> is_gone = [](const any_object& object) { return !object; };
    if (text == "delete") return is_gone;
    if (text.starts_with(condition) && text.size() > condition.size()) {
        const std::string_view what = text.substr(condition.size());
        const auto split = what.find('=');
        if (split == std::string_view::npos) return condition_is(std::string(what));
        return condition_is(std::string(what.substr(0, split)), std::string(what.substr(split + 1)));
    }
    const auto end = text.find(path_end);
    if (text.starts_with(path) && end != std::string_view::npos && end > path.size()) {
        std::string pointer = "/" + std::string(text.substr(path.size(), end - path.size()));
        std::replace(pointer.begin(), pointer.end(), '.', '/');
        return field_is(std::move(pointer), std::string(text.substr(end + path_end.size())));
    }
    return error(errc::invalid_argument, "\"" + escape_control(text) +
                                             "\" is nothing to wait for: write condition=TYPE[=STATUS], delete or "
                                             "jsonpath={.a.b}=VALUE");
}

}  // namespace kcontrol

// Conditions in the status of an object.
#pragma once

#include <kcontrol/documents/value.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::testing::detail {

/// The conditions in an object's content. They and the status are made where they are missing.
inline json::array& conditions_in(json::object& content) {
    json::value& status = content["status"];
    if (!status.is_object()) status = json::object();
    json::value& all = status.get_object()["conditions"];
    if (!all.is_array()) all = json::array();
    return all.get_array();
}

/// Sets a condition. The time of its last transition stays where its status does. False: nothing has changed.
inline bool put_condition(json::array& all, std::string_view type, bool holds, std::string_view reason,
                          std::string_view message, const std::string& now) {
    json::object made;
    made["type"] = type;
    made["status"] = holds ? "True" : "False";
    made["lastTransitionTime"] = now;
    if (!reason.empty()) made["reason"] = reason;
    if (!message.empty()) made["message"] = message;
    for (auto& one : all) {
        if (json::get_string(one, {"type"}) != type) continue;
        if (json::get_string(one, {"status"}) == json::get_string(made, {"status"})) {
            if (const json::value* since = json::find(one, {"lastTransitionTime"})) made["lastTransitionTime"] = *since;
        }
        json::value whole(std::move(made));
        const bool changed = !json::equal(one, whole);
        one = std::move(whole);
        return changed;
    }
    all.push_back(std::move(made));
    return true;
}

}  // namespace kcontrol::testing::detail

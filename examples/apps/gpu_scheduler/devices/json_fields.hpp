// Reads members of JSON objects that other programs write, with errors that name the field and its value.
#pragma once

#include <kcontrol/json/reader.hpp>

#include "messages.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace gpu_scheduler {

/// An object in a text. `path` is where it is: "devices[0]".
struct json_place {
    kcontrol::json::node object;
    std::string path;

    /// An error about a member: "devices[0].cores: 101 …".
    kcontrol::error wrong(std::string_view member, const std::string& why) const {
        const auto value = object.is_object() ? object[member] : kcontrol::json::node();
        return bad_value(path + (path.empty() ? "" : ".") + std::string(member) + ": " +
                         std::string(kcontrol::utf8_prefix(value.to_json(), 200)) + " " + why);
    }
    bool has(std::string_view member) const { return !object[member].is_null(); }

    /// The member as an integer in that range. Errors: field, value, range.
    result<std::int64_t> number(std::string_view member, std::int64_t least, std::int64_t most) const {
        std::int64_t out = 0;
        if (object[member].get_int64(out) && out >= least && out <= most) return out;
        return wrong(member, "is no integer from " + std::to_string(least) + " to " + std::to_string(most));
    }
    /// The member as a text that is not empty. Errors: field and value.
    result<std::string> text(std::string_view member) const {
        const auto value = object[member];
        if (value.is_string() && !value.as_string().empty()) return std::string(value.as_string());
        return wrong(member, "is no text, or empty");
    }
    /// Errors: it is no object, or has a member that is none of these.
    result<void> only(std::initializer_list<std::string_view> members) const {
        if (!object.is_object()) {
            return bad_value((path.empty() ? "" : path + ": ") +
                             std::string(kcontrol::utf8_prefix(object.to_json(), 200)) + " is no object");
        }
        for (const auto [name, value] : object.members()) {
            bool known = false;
            for (const auto each : members) known = known || each == name;
            if (!known) return wrong(name, "is a field that is not known");
        }
        return {};
    }
};

}  // namespace gpu_scheduler

// What refusals are put together from.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/failure.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::testing::detail {

inline json::object details_of(const group_resource& what, std::string_view name) {
    json::object details;
    if (!name.empty()) details["name"] = name;
    if (!what.group.empty()) details["group"] = what.group;
    if (!what.resource.empty()) details["kind"] = what.resource;
    return details;
}

inline std::string in_quotes(std::string_view text) { return "\"" + std::string(text) + "\""; }

// As %q of Go's fmt.
inline std::string go_quoted(std::string_view text) { return json::serialize(json::value(text)); }

inline failure make_failure(int code, std::string_view reason, std::string message, json::object details) {
    failure f(code, reason, std::move(message));
    f.details = std::move(details);
    return f;
}

}  // namespace kcontrol::testing::detail

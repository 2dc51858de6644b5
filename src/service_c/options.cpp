#include "options.hpp"

#include <kcontrol/documents/strict.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kcontrol::inline v0_1::service_c {

outcome<options> options::parse(std::string_view call, const char* text, std::initializer_list<std::string_view> keys) {
    options out;
    out.call_ = call;
    out.document_ = std::make_shared<json::document>();
    const auto root = json::parse_strict(*out.document_, text == nullptr ? "{}" : text);
    if (!root) return failure{KC_EINVAL, out.call_ + ": the options can't be read: " + root.error().what()};
    if (!root->is_object())
        return failure{KC_EINVAL, out.call_ + ": the options are no JSON object; write {\"key\": value}"};
    out.root_ = *root;
    out.check_keys(keys);
    if (out.failure_) return *out.failure_;
    return out;
}

void options::check_keys(std::initializer_list<std::string_view> keys) {
    for (auto [name, value] : root_.members()) {
        if (std::find(keys.begin(), keys.end(), name) != keys.end()) continue;
        std::string known;
        for (const std::string_view key : keys) known.append(known.empty() ? "" : ", ").append(key);
        return refuse(name, "is no option of this function; there are: " + known);
    }
}

json::node options::find(std::string_view key) const { return root_[key]; }

std::optional<std::string> options::text(std::string_view key) {
    const json::node at = find(key);
    if (at.is_null()) return std::nullopt;
    if (at.is_string()) return std::string(at.as_string());
    refuse(key, "must be a string");
    return std::nullopt;
}

std::optional<bool> options::boolean(std::string_view key) {
    const json::node at = find(key);
    if (at.is_null()) return std::nullopt;
    if (at.kind() == json::kind::boolean) return at.as_bool();
    refuse(key, "must be true or false");
    return std::nullopt;
}

std::optional<std::chrono::milliseconds> options::seconds(std::string_view key) {
    const json::node at = find(key);
    if (at.is_null()) return std::nullopt;
    const bool number = at.kind() == json::kind::integer || at.kind() == json::kind::number;
    // A day and a half is beyond what anyone waits; what is larger is a mistake in the unit.
    if (number && at.as_double() >= 0.001 && at.as_double() <= 131'072)
        return std::chrono::milliseconds(std::llround(at.as_double() * 1000));
    refuse(key, "must be a number of seconds, from 0.001 to 131072");
    return std::nullopt;
}

std::optional<std::string> options::port(std::string_view key) {
    const json::node at = find(key);
    if (at.is_null()) return std::nullopt;
    if (at.is_string() && !at.as_string().empty()) return std::string(at.as_string());
    if (at.kind() == json::kind::integer && at.as_int64() >= 1 && at.as_int64() <= 65'535)
        return std::to_string(at.as_int64());
    refuse(key, "must be the name of a port, or a number from 1 to 65535");
    return std::nullopt;
}

std::optional<options> options::nested(std::string_view key, std::initializer_list<std::string_view> keys) {
    const json::node at = find(key);
    if (at.is_null()) return std::nullopt;
    if (!at.is_object()) {
        refuse(key, "must be an object");
        return std::nullopt;
    }
    options out;
    out.call_ = call_;
    out.path_ = path_ + std::string(key) + ".";
    out.document_ = document_;
    out.root_ = at;
    out.check_keys(keys);
    return out;
}

void options::merge(const options& nested) {
    if (!failure_) failure_ = nested.failure_;
}

void options::refuse(std::string_view key, std::string_view why) {
    if (failure_) return;
    failure_ = failure{KC_EINVAL, call_ + ": \"" + path_ + std::string(key) + "\" " + std::string(why)};
}

outcome<void> options::check() const {
    if (failure_) return *failure_;
    return {};
}

}  // namespace kcontrol::service_c

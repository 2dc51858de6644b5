// What is wrong with objects of small kinds: keys and names that are there twice, numbers that are too small.
#pragma once

#include <kcontrol/values/quantity.hpp>

#include "testserver/field_validator.hpp"

#include <set>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::testing::detail {

// Keys of ConfigMaps and Secrets name files. Those of `other`, a map beside it, are taken.
inline void validate_data_keys(validator& v, const json::value& object, std::string_view map, std::string_view other) {
    const json::value* data = json::find(object, {map});
    if (data == nullptr || !data->is_object()) return;
    for (const auto& entry : data->get_object()) {
        const json::value key(entry.key());
        const std::string field = std::string(map) + "[" + std::string(entry.key()) + "]";
        if (!is_config_key(entry.key())) v.invalid(field, &key, config_key_rule);
        if (other.empty() || json::find(object, {other, entry.key()}) == nullptr) continue;
        v.invalid(field, &key, "duplicate of key present in " + std::string(other));
    }
}

// Items whose `name` is that of one before.
inline void validate_unique(validator& v, const json::value& of, std::string_view list, const std::string& at,
                            std::string_view name) {
    std::set<std::string> used;
    validator::each(of, list, at, [&](const json::value& item, const std::string& where) {
        const json::value* given = json::find(item, {name});
        const json::value shown = given == nullptr ? json::value("") : *given;
        if (!used.insert(json::serialize(shown)).second) v.duplicate(where + "." + std::string(name), shown);
    });
}

inline void validate_claim(validator& v, const json::value* spec, const std::string& at) {
    const json::value* modes = spec == nullptr ? nullptr : json::find(*spec, {"accessModes"});
    if (modes == nullptr || !modes->is_array() || modes->get_array().empty()) {
        v.required(at + ".accessModes", "at least 1 access mode is required");
    }
    const json::value* storage = spec == nullptr ? nullptr : json::find(*spec, {"resources", "requests", "storage"});
    if (storage == nullptr || !storage->is_string()) return v.required(at + ".resources[storage]");
    const auto amount = quantity::parse(std::string_view(storage->get_string()));
    if (amount && amount->sign() <= 0) v.invalid(at + ".resources[storage]", storage, "must be greater than zero");
}

// As Go shows a taint, whose members have their Go names there.
inline void validate_taints(validator& v, const json::value& node) {
    std::set<std::string> used;
    const json::value* spec = json::find(node, {"spec"});
    if (spec == nullptr) return;
    validator::each(*spec, "taints", "metadata", [&](const json::value& taint, const std::string& where) {
        const std::string_view key = json::get_string(taint, {"key"}), effect = json::get_string(taint, {"effect"});
        if (used.insert(std::string(key) + "/" + std::string(effect)).second) return;
        json::object shown;
        shown["Key"] = key;
        shown["Value"] = json::get_string(taint, {"value"});
        shown["Effect"] = effect;
        const json::value* added = json::find(taint, {"timeAdded"});
        shown["TimeAdded"] = added == nullptr ? json::value() : *added;
        v.duplicate(where, json::value(std::move(shown)), "taints must be unique by key and effect pair");
    });
}

inline void validate_lease(validator& v, const json::value& lease) {
    const json::value* seconds = json::find(lease, {"spec", "leaseDurationSeconds"});
    if (seconds == nullptr || !seconds->is_int64() || seconds->get_int64() > 0) return;
    v.invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0");
}

}  // namespace kcontrol::testing::detail

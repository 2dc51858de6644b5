// structural_pruner: removes what a structural schema does not have.
#pragma once

#include <kcontrol/documents/value.hpp>

#include "testserver/structural_values.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::testing::detail {

constexpr std::array<std::string_view, 3> resource_members = {"apiVersion", "kind", "metadata"};
constexpr std::array<std::string_view, 15> metadata_members = {"name",
                                                               "generateName",
                                                               "namespace",
                                                               "selfLink",
                                                               "uid",
                                                               "resourceVersion",
                                                               "generation",
                                                               "creationTimestamp",
                                                               "labels",
                                                               "deletionTimestamp",
                                                               "deletionGracePeriodSeconds",
                                                               "annotations",
                                                               "finalizers",
                                                               "ownerReferences",
                                                               "managedFields"};

template <class Names>
bool is_among(const Names& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Removes what a schema does not have.
class structural_pruner {
public:
    explicit structural_pruner(std::vector<std::string>& unknown) : unknown_(unknown) {}

    void prune(const json::value& schema, json::value& v, const std::string& path, bool is_resource) {
        if (v.is_array()) {
            const json::value* items = json::find(schema, {"items"});
            std::size_t index = 0;
            for (auto& item : v.get_array()) {
                const std::string place = item_path(path, index++);
                if (items != nullptr) prune(*items, item, place, schema_flag(*items, "x-kubernetes-embedded-resource"));
            }
        } else if (v.is_object()) {
            prune_members(schema, v.get_object(), path, is_resource);
        }
    }

private:
    void prune_members(const json::value& schema, json::object& members, const std::string& path, bool is_resource) {
        const bool keeps =
            schema_flag(schema, "x-kubernetes-preserve-unknown-fields") || schema_flag(schema, "additionalProperties");
        for (auto member = members.begin(); member != members.end();) {
            const std::string place = below_path(path, member->key());
            if (is_resource && is_among(resource_members, member->key())) {
                if (member->key() == "metadata") prune_metadata(member->value(), place);
                ++member;
                continue;
            }
            const json::value* found = member_schema(schema, member->key());
            if (found == nullptr && !keeps) {
                unknown_.push_back(place);
                member = members.erase(member);
                continue;
            }
            if (found != nullptr) {
                prune(*found, member->value(), place, schema_flag(*found, "x-kubernetes-embedded-resource"));
            }
            ++member;
        }
    }

    void prune_metadata(json::value& metadata, const std::string& path) {
        if (!metadata.is_object()) return;
        json::object& members = metadata.get_object();
        for (auto member = members.begin(); member != members.end();) {
            if (is_among(metadata_members, member->key())) {
                ++member;
                continue;
            }
            unknown_.push_back(below_path(path, member->key()));
            member = members.erase(member);
        }
    }

    std::vector<std::string>& unknown_;
};

}  // namespace kcontrol::testing::detail

// Parts of claims and volumes.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/model/object_meta.hpp>
#include <kcontrol/values/dict.hpp>
#include <kcontrol/values/quantity.hpp>
#include <kcontrol/values/quantity_text.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::scheduling::detail {

inline constexpr std::string_view selected_node_annotation = "volume.kubernetes.io/selected-node";

inline std::string_view annotation_of(const object_meta& meta, std::string_view key) {
    const auto* const found = meta.annotations.get(key);
    return found == nullptr ? std::string_view() : found->view();
}

inline std::string_view storage_class_named(const object_meta& meta, const text& field) {
    const auto* const old = meta.annotations.get("volume.beta.kubernetes.io/storage-class");
    return old == nullptr ? field.view() : old->view();
}

inline std::string claim_key(std::string_view namespace_, std::string_view name) {
    return std::string(namespace_).append("/").append(name);
}

inline std::string claim_key(const api::core::v1::persistent_volume_claim& claim) {
    return claim_key(claim.metadata.namespace_, claim.metadata.name);
}

// An amount that is wrong, or absent, is 0.
inline quantity storage_in(const dict<quantity_text>& amounts) {
    const auto* const given = amounts.get("storage");
    if (given == nullptr) return quantity();
    const auto read = quantity::parse(*given);
    return read ? *read : quantity();
}

}  // namespace kcontrol::scheduling::detail

// The Leases of sharding: what a replica's and a cluster's are called, and what they say.
#pragma once

#include <kcontrol/api/coordination/v1.hpp>
#include <kcontrol/model/object_key.hpp>

#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

using shard_lease = api::coordination::v1::lease;

inline constexpr const char* shard_group_label = "sharding.kcontrol.dev/group";
inline constexpr const char* shard_role_label = "sharding.kcontrol.dev/role";  // "peer" or "cluster"
inline constexpr const char* shard_cluster_annotation = "sharding.kcontrol.dev/cluster";
inline constexpr const char* shard_weight_annotation = "sharding.kcontrol.dev/weight";

/// Any text as the end of an object's name: readable as far as that goes, and different for different texts.
KCONTROL_DECL std::string shard_slug(std::string_view text);

inline std::string peer_lease_name(const std::string& group, std::string_view identity) {
    return group + "-peer-" + shard_slug(identity);
}
inline std::string claim_name(const std::string& group, std::string_view cluster) {
    return group + "-shard-" + shard_slug(cluster);
}
inline std::map<std::string, std::string> shard_labels(const std::string& group, const std::string& role) {
    return {{shard_group_label, group}, {shard_role_label, role}};
}
inline bool is_claim(const shard_lease& one) {
    const auto role = one.metadata.labels.find(shard_role_label);
    return role != one.metadata.labels.end() && role->second == "cluster";
}
/// Empty if somebody has taken that away.
inline std::string cluster_of(const shard_lease& claim) {
    const auto named = claim.metadata.annotations.find(shard_cluster_annotation);
    return named == claim.metadata.annotations.end() ? std::string() : named->second.str();
}
/// 1 where it says nothing that counts.
inline std::uint32_t weight_of(const shard_lease& peer) {
    const auto said = peer.metadata.annotations.find(shard_weight_annotation);
    if (said == peer.metadata.annotations.end()) return 1;
    const std::string digits = said->second.str();
    std::uint32_t weight = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), weight);
    const bool whole = read.ec == std::errc() && read.ptr == digits.data() + digits.size();
    return whole && weight >= 1 && weight <= 1000 ? weight : 1;
}

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/shard_lease.ipp>
#endif

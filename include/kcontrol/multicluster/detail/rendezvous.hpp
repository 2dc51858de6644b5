// Who of several has what: rendezvous hashing with weights.
#pragma once

#include <kcontrol/base/result.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::detail {

class shard_peer {
public:
    shard_peer(std::string i, std::uint32_t w) : identity(std::move(i)), weight(w) {}
    std::string identity;
    std::uint32_t weight;
    friend bool operator==(const shard_peer&, const shard_peer&) = default;
};

/// A number that is spread over all 64 bits, the same in every process.
KCONTROL_DECL std::uint64_t rendezvous_hash(std::string_view peer, std::string_view cluster) noexcept;

/// The peer that has the cluster; null without peers. Each is chosen as often as its weight says. A peer that comes
/// takes what it has from now on from the others, and one that goes leaves what it had to them: nothing moves between
/// two that stay.
///
/// Source: D. Thaler, C. Ravishankar, "Using Name-Based Mappings to Increase Hit Rates" (1998), with the weights of J.
/// Resch, "New Hashing Algorithms for Data Storage" (2015).
KCONTROL_DECL const shard_peer* rendezvous(std::span<const shard_peer> peers, std::string_view cluster) noexcept;

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/rendezvous.ipp>
#endif

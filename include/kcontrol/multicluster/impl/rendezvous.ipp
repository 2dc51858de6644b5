#pragma once

#include <kcontrol/base/fnv1a.hpp>
#include <kcontrol/multicluster/detail/rendezvous.hpp>

#include <cmath>

namespace kcontrol::inline v0_1::detail {

// FNV-1a reads the bytes; what it leaves alike in names that differ in their last letter, the finalizer of SplitMix64
// spreads.
KCONTROL_DECL std::uint64_t rendezvous_hash(std::string_view peer, std::string_view cluster) noexcept {
    std::uint64_t h = fnv1a().add(peer).end().add(cluster).end().value();
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9U;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebU;
    return h ^ (h >> 31);
}

// Each peer draws a time, exponentially distributed with its weight as the rate: the first one has the cluster.
KCONTROL_DECL const shard_peer* rendezvous(std::span<const shard_peer> peers, std::string_view cluster) noexcept {
    const shard_peer* best = nullptr;
    double earliest = 0;
    for (const shard_peer& one : peers) {
        const std::uint64_t hash = rendezvous_hash(one.identity, cluster);
        const double unit = (static_cast<double>(hash >> 11) + 0.5) * 0x1p-53;
        const double time = -std::log(unit) / one.weight;
        const bool before = best == nullptr || time < earliest || (time == earliest && one.identity < best->identity);
        if (!before) continue;
        best = &one;
        earliest = time;
    }
    return best;
}

}  // namespace kcontrol::detail

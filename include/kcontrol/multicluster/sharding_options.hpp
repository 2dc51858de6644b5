// How the clusters of a program are spread over its replicas.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// Which group of replicas this one is of, and how long everything takes. The times are those of leader_options.
class sharding_options {
public:
    /// All replicas name the same group: its Leases are GROUP-peer-… and GROUP-shard-… in that namespace, the pod's own
    /// if it is empty. A name is what a label may hold: at most 63 lower-case letters, digits and dashes.
    explicit sharding_options(namespaced_name group) : group_(std::move(group)) {}

    /// Who this replica is; no two have the same. Default: the host's name, '_', and a random UUID.
    sharding_options& identity(std::string name) { return identity_ = std::move(name), *this; }
    /// Of the clusters this one takes as large a share as its weight is among the weights of all, from 1 to 1000.
    /// Default 1.
    sharding_options& weight(std::uint32_t w) { return weight_ = w, *this; }
    /// How long others wait for a replica that gives no sign, until they take its clusters. Whole seconds. Default 15.
    sharding_options& lease_duration(duration d) { return lease_duration_ = d, *this; }
    /// How long a replica asks and writes after its last renewal. Default 10 s.
    sharding_options& renew_deadline(duration d) { return renew_deadline_ = d, *this; }
    /// From one renewal to the next. Default 2 s.
    sharding_options& retry_period(duration d) { return retry_period_ = d, *this; }
    /// How long a replica that begins looks round before it takes clusters, and how long one that gives a cluster away
    /// waits after its work there has ended, for what was on its way to arrive. Default 1 s.
    sharding_options& settle_period(duration d) { return settle_period_ = d, *this; }
    /// Clusters that every replica engages, as all were without sharding: a hub, say, that each reads from. Nothing
    /// keeps two replicas from writing there.
    sharding_options& unsharded_clusters(std::set<std::string> clusters) {
        return unsharded_clusters_ = std::move(clusters), *this;
    }

    /// The namespace of its Leases, and the name that they begin with.
    const namespaced_name& group() const noexcept { return group_; }
    const std::string& identity() const noexcept { return identity_; }
    std::uint32_t weight() const noexcept { return weight_; }
    duration lease_duration() const noexcept { return lease_duration_; }
    duration renew_deadline() const noexcept { return renew_deadline_; }
    duration retry_period() const noexcept { return retry_period_; }
    duration settle_period() const noexcept { return settle_period_; }
    const std::set<std::string>& unsharded_clusters() const noexcept { return unsharded_clusters_; }

    /// Errors: invalid_argument (the group's name, the weight, a settle period below zero; the times as
    /// leader_options::validate() says).
    KCONTROL_DECL result<void> validate() const;

private:
    namespaced_name group_;
    std::string identity_;
    std::uint32_t weight_ = 1;
    duration lease_duration_ = std::chrono::seconds(15);
    duration renew_deadline_ = std::chrono::seconds(10);
    duration retry_period_ = std::chrono::seconds(2);
    duration settle_period_ = std::chrono::seconds(1);
    std::set<std::string> unsharded_clusters_;
};

/// What one replica has counted since it was made, for metrics.
class sharding_stats {
public:
    bool member = false;              ///< this one's Lease is held
    std::size_t peers = 0;            ///< that give signs of life, this one included
    std::size_t clusters = 0;         ///< that are this one's
    std::size_t waiting = 0;          ///< that are to become this one's
    std::uint64_t acquired = 0;       ///< times a cluster became this one's
    std::uint64_t released = 0;       ///< times one was released, or lost
    std::uint64_t removed_peers = 0;  ///< replicas that it considered dead, and whose Lease it deleted
    std::uint64_t failures = 0;       ///< requests about Leases that failed; not that another one was faster
};

/// Who shares the clusters now, as one replica sees it.
class sharding_status {
public:
    /// A replica that gives signs of life.
    class peer {
    public:
        peer(std::string i, std::uint32_t w) : identity(std::move(i)), weight(w) {}  ///< its identity and its weight
        std::string identity;  ///< what sharding_options::identity() is there; its Lease's holderIdentity
        std::uint32_t weight;  ///< what sharding_options::weight() is there
        friend bool operator==(const peer&, const peer&) = default;
    };
    bool member = false;                ///< this one's Lease is held, so that it may have clusters
    std::vector<peer> peers;            ///< that give signs of life, this one included; by identity
    std::vector<std::string> clusters;  ///< that are this one's, sorted; without those that are unsharded_clusters
    std::vector<std::string> waiting;   ///< that are to become this one's, sorted
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/sharding_options.ipp>
#endif

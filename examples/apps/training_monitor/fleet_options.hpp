// What the command line says about sharing the clusters with other replicas, and about what one cluster may cost.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/model/object_key.hpp>

#include <cstdint>
#include <string_view>
#include <utility>

namespace training_monitor {

class fleet_options {
public:
    fleet_options() = default;

    /// Namespace and name of the Leases by which replicas share the clusters; without a name each watches all.
    fleet_options& shard_group(kcontrol::namespaced_name g) { return shard_group_ = std::move(g), *this; }
    fleet_options& shard_weight(std::uint32_t w) { return shard_weight_ = w, *this; }
    /// Requests a second to one cluster, twice as many at once. This and the following: 0 is no limit.
    fleet_options& rate_limit(std::uint32_t n) { return rate_limit_ = n, *this; }
    fleet_options& max_concurrent_requests(std::uint32_t n) { return requests_ = n, *this; }
    fleet_options& max_consecutive_failures(std::uint32_t n) { return failures_ = n, *this; }
    fleet_options& max_objects(std::uint32_t n) { return objects_ = n, *this; }

    bool shares() const noexcept { return !shard_group_.name.empty(); }
    const kcontrol::namespaced_name& shard_group() const noexcept { return shard_group_; }
    std::uint32_t shard_weight() const noexcept { return shard_weight_; }
    std::uint32_t rate_limit() const noexcept { return rate_limit_; }
    std::uint32_t max_concurrent_requests() const noexcept { return requests_; }
    std::uint32_t max_consecutive_failures() const noexcept { return failures_; }
    std::uint32_t max_objects() const noexcept { return objects_; }

private:
    kcontrol::namespaced_name shard_group_;
    std::uint32_t shard_weight_ = 1;
    std::uint32_t rate_limit_ = 0, requests_ = 0, failures_ = 0, objects_ = 0;
};

/// --shard-group NAMESPACE/NAME. Errors: invalid_argument, naming the flag, the value and what would be right; so do
/// those of the others.
kcontrol::result<void> read_shard_group(fleet_options& o, std::string_view value);
kcontrol::result<void> read_shard_weight(fleet_options& o, std::string_view value);
kcontrol::result<void> read_rate_limit(fleet_options& o, std::string_view value);
kcontrol::result<void> read_max_concurrent_requests(fleet_options& o, std::string_view value);
kcontrol::result<void> read_max_consecutive_failures(fleet_options& o, std::string_view value);
kcontrol::result<void> read_max_objects(fleet_options& o, std::string_view value);

}  // namespace training_monitor

// What pods say of the scheduler's work, version by version: GPUs that are given twice, and how long gangs waited.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/api/resource/v1.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/runtime/time.hpp>
#include <kcontrol/scheduling/device_inventory.hpp>
#include <kcontrol/scheduling/gang_claim.hpp>

#include "devices/ledger.hpp"
#include "devices/record.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gpu_scheduler {

/// Adds up the records of pods and the allocations of ResourceClaims, apart from the decisions. Counts how often a GPU
/// gets more pods than it has room for: memory, cores, slots, or a second pod beside one that has all of it; and how
/// often several claims get one device.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class overcommit_check {
public:
    /// A version of a pod of this scheduler, or its deletion. `on`: its node's GPUs; null: not known, and of its GPUs
    /// only whole ones are checked.
    void set(const kcontrol::api::core::v1::pod& pod, bool is_deleted, const node_ledger* on);
    /// A version of a claim, or null: it was deleted. `gpus`: what its devices are on `node`; `on` as above.
    void set(const kcontrol::namespaced_name& name, const kcontrol::api::resource::v1::resource_claim* claim,
             const std::string& node, std::vector<device_hold> gpus, const node_ledger* on);

    std::uint64_t total() const noexcept { return total_; }  ///< since it was made

private:
    struct node_sums {
        std::map<std::string, std::vector<device_hold>> holders;  // pods by uid, claims by name
        std::set<std::string> beyond;                             // GPUs
    };
    static std::set<std::string> beyond(const node_sums& of, const node_ledger* on);
    void put(const std::string& holder, const std::string& node, std::vector<device_hold> devices,
             const node_ledger* on);

    std::map<std::string, node_sums, std::less<>> nodes_;
    std::map<std::string, std::string, std::less<>> node_of_;  // by holder
    std::map<kcontrol::namespaced_name, std::vector<kcontrol::scheduling::device_id>> claims_;
    std::map<kcontrol::scheduling::device_id, int> given_;  // to so many claims
    std::uint64_t total_ = 0;
};

/// Thread-safety: distinct objects safe; shared objects unsafe.
class gang_waits {
public:
    /// A version of a pod, or its deletion. Returns how long its gang has waited, from the creation of the first pod
    /// that waited, if this is the pod that ends its wait: it got a node, and no other one waits.
    std::optional<kcontrol::wall_time::duration> set(const kcontrol::api::core::v1::pod& pod, bool is_deleted,
                                                     kcontrol::wall_time now);

private:
    struct waiting {
        std::set<std::string> pods;  // uids
        kcontrol::wall_time since{};
    };
    std::map<kcontrol::scheduling::gang_id, waiting> gangs_;
};

}  // namespace gpu_scheduler

// What tenants hold of a product, and who may take what from whom.
#pragma once

#include "tenants/fair_share.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpu_scheduler {

/// A pod that holds GPUs, or all pods of a gang. Amounts are in thousandths of a GPU.
struct tenant_pod {
    std::string name;
    std::string tenant;
    std::int64_t amount = 0;
    std::int32_t priority = 0;
    std::int64_t running_seconds = 0;
};

/// What a tenant may and holds.
struct tenant_account {
    tenant_claim claim;
    bool preemptible = true;
    std::int64_t min_runtime_seconds = 0;
    std::int64_t fair_share = 0;  ///< with all below
    std::int64_t allocated = 0;   ///< with all below
};

/// The share of its fair share that a tenant holds decides its class: below the first bound 0, below the second one 1.
using hunger_bounds = std::array<double, 2>;

/// All tenants and one product. The pods of a tenant that has others below it count as those of one more tenant below
/// it, with the quota that the others don't have.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class tenant_book {
public:
    /// Tenants by name; fair shares are computed from their claims. `gpus`: how many there are.
    tenant_book(std::int64_t gpus, std::vector<tenant_account> tenants);

    const tenant_account* find(std::string_view name) const;
    /// Adds to what the tenant and all above it hold; with a negative amount takes away.
    void hold(std::string_view tenant, std::int64_t amount);

    /// 0: most hungry, comes first; 2: has most of what is due to it, or nothing is.
    int hunger(std::string_view tenant, const hunger_bounds& bounds = {0.3, 0.7}) const;
    /// The tenant and all above it, from below.
    std::vector<const tenant_account*> way_up(std::string_view name) const;
    /// The first tenant, from this one upwards, that would be beyond its limit: "tenant nlp is at its limit of 16
    /// GPUs".
    std::optional<std::string> over_limit(std::string_view tenant, std::int64_t amount) const;

    /// The pods that hold what hold() has counted.
    void set_running(std::vector<tenant_pod> running);
    /// Whether a pod of that tenant and priority may have the place of a running one, given what all hold now.
    ///
    /// Within a tenant: of lower priority. From another tenant: with the pod the preemptor's tenant holds no more than
    /// what is due to it, the larger of quota and fair share; and the victim is among the pods that exceed what is due
    /// to its tenant: of lowest priority, then of those that have run for less long. If a part of the last of these is
    /// due, it is taken by pods that their quota covers, and by no others. That holds for every tenant on the ways up
    /// to the one that both have in common. Nothing is taken from a tenant that is not preemptible, nor within its
    /// minRuntimeSeconds, but by its own pods.
    ///
    /// No circle arises: a pod that took a place holds what is due to its tenant. It is among those that exceed it only
    /// once a pod of its tenant came that is more important.
    bool may_take(std::string_view tenant, std::int64_t amount, std::int32_t priority, const tenant_pod& victim) const;

private:
    enum class excess : char { all, part };
    using loose_pods = std::vector<std::pair<std::size_t, excess>>;  // by their places in running_

    std::string leaf_of(std::string_view tenant) const;
    const loose_pods& loose(const tenant_account& of) const;

    std::map<std::string, tenant_account, std::less<>> tenants_;
    std::vector<tenant_pod> running_;                               // the least important first
    mutable std::map<std::string, loose_pods, std::less<>> loose_;  // by tenant, as far as asked
};

}  // namespace gpu_scheduler

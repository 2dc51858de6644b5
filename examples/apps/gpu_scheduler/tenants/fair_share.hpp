// How the GPUs of a product are shared out among tenants.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gpu_scheduler {

/// Amounts are in thousandths of a GPU.
inline constexpr std::int64_t milli_per_gpu = 1000;

/// A tenant, as far as one product is concerned.
struct tenant_claim {
    std::string name;
    std::string parent;            ///< the tenant above; empty: none
    std::int64_t quota = 0;        ///< guaranteed, whole GPUs
    std::int64_t limit = -1;       ///< whole GPUs for it and all below; -1: none
    std::int64_t weight = 1;       ///< among the tenants of its parent
    std::int64_t own_request = 0;  ///< milli: what its own pods hold and wait for
};

/// What is due to a tenant with all below it, in thousandths of a GPU, by name.
using fair_shares = std::map<std::string, std::int64_t, std::less<>>;

/// Shares out so many whole GPUs. Each tenant gets its quota up to its request. The rest goes by weight to those that
/// request more; in whole GPUs, by the largest remainder, ties by name. What a tenant gets is shared out below it in
/// the same way, where its own pods are like one more tenant of weight 1, with the quota that the tenants below don't
/// have. Quotas that are more than there is are cut in proportion.
///
/// No share is more than the request or the limit, and the shares of one level are together at most what is there. The
/// order of `claims` does not matter. A tenant whose parent is not there, or leads to itself, is on the highest level.
fair_shares share_out(std::int64_t gpus, std::vector<tenant_claim> claims);

}  // namespace gpu_scheduler

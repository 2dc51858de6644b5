#include "tenants/book.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace gpu_scheduler {
namespace {

std::int64_t due(const tenant_account& to) { return std::max(to.fair_share, to.claim.quota * milli_per_gpu); }

}  // namespace

tenant_book::tenant_book(std::int64_t gpus, const std::vector<tenant_account>& tenants) {
    std::vector<tenant_claim> claims;
    for (const auto& each : tenants) {
        claims.push_back(each.claim);
        tenants_.emplace(each.claim.name, each);
    }
    for (const auto& [name, share] : share_out(gpus, std::move(claims))) tenants_.find(name)->second.fair_share = share;
}

const tenant_account* tenant_book::find(std::string_view name) const {
    const auto found = tenants_.find(name);
    return found == tenants_.end() ? nullptr : &found->second;
}

std::vector<const tenant_account*> tenant_book::way_up(std::string_view name) const {
    std::vector<const tenant_account*> out;
    for (const auto* at = find(name); at != nullptr && std::ranges::count(out, at) == 0; at = find(at->claim.parent)) {
        out.push_back(at);
    }
    return out;
}

void tenant_book::hold(std::string_view tenant, std::int64_t amount) {
    for (const auto* each : way_up(tenant)) tenants_.find(each->claim.name)->second.allocated += amount;
}

int tenant_book::hunger(std::string_view tenant, const hunger_bounds& bounds) const {
    const auto* found = find(tenant);
    if (found == nullptr) return 2;
    const auto held = static_cast<double>(found->allocated), fair = static_cast<double>(found->fair_share);
    return held < bounds[0] * fair ? 0 : held < bounds[1] * fair ? 1 : 2;
}

std::optional<std::string> tenant_book::over_limit(std::string_view tenant, std::int64_t amount) const {
    for (const auto* each : way_up(tenant)) {
        const auto limit = each->claim.limit;
        if (limit < 0 || each->allocated + amount <= limit * milli_per_gpu) continue;
        return "tenant " + each->claim.name + " is at its limit of " + std::to_string(limit) +
               (limit == 1 ? " GPU" : " GPUs");
    }
    return {};
}

bool tenant_book::may_take(std::string_view tenant, std::int64_t amount, std::int32_t priority,
                           const tenant_pod& victim) const {
    if (tenant == victim.tenant) return victim.priority < priority;
    const auto takers = way_up(tenant), givers = way_up(victim.tenant);
    if (takers.empty() || givers.empty()) return false;
    const auto& owner = *givers.front();
    if (!owner.preemptible || victim.running_seconds < owner.min_runtime_seconds) return false;
    for (const auto* each : takers) {
        if (std::ranges::count(givers, each) > 0) break;
        if (each->allocated + amount > due(*each)) return false;
    }
    for (const auto* each : givers) {
        if (std::ranges::count(takers, each) > 0) break;
        if (each->allocated - victim.amount < due(*each)) return false;
    }
    return true;
}

std::optional<std::vector<std::string>> tenant_book::victims(std::string_view tenant, std::int64_t amount,
                                                             std::int32_t priority, std::int64_t needed,
                                                             std::vector<tenant_pod> running) const {
    std::ranges::sort(running, {}, [](const tenant_pod& p) { return std::tie(p.priority, p.running_seconds, p.name); });
    tenant_book left = *this;
    std::vector<const tenant_pod*> chosen;
    std::int64_t freed = 0;
    for (const auto& each : running) {
        if (freed >= needed) break;
        if (!left.may_take(tenant, amount, priority, each)) continue;
        left.hold(each.tenant, -each.amount);
        freed += each.amount;
        chosen.push_back(&each);
    }
    if (freed < needed) return {};
    std::vector<std::string> out;
    for (auto at = chosen.rbegin(); at != chosen.rend(); ++at) {
        if (freed - (*at)->amount >= needed) {
            freed -= (*at)->amount;
        } else {
            out.push_back((*at)->name);
        }
    }
    std::ranges::reverse(out);
    return out;
}

}  // namespace gpu_scheduler

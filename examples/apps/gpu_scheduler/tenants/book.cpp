#include "tenants/book.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace gpu_scheduler {
namespace {

constexpr char own_pods[] = "/";  // behind the name of a tenant; no name has it

std::int64_t due(const tenant_account& to) { return std::max(to.fair_share, to.claim.quota * milli_per_gpu); }

}  // namespace

tenant_book::tenant_book(std::int64_t gpus, std::vector<tenant_account> tenants) {
    std::map<std::string, std::int64_t> quotas_below;
    for (const auto& each : tenants) quotas_below[each.claim.parent] += each.claim.quota;
    for (std::size_t i = 0, size = tenants.size(); i < size; ++i) {
        const auto claim = tenants[i].claim;  // a copy: the list grows
        const auto below = quotas_below.find(claim.name);
        if (below == quotas_below.end()) continue;
        auto own = tenants[i];
        own.claim.name = claim.name + own_pods;
        own.claim.parent = claim.name;
        own.claim.quota = std::max<std::int64_t>(0, claim.quota - below->second);
        own.claim.limit = -1;
        own.claim.weight = 1;
        tenants[i].claim.own_request = 0;
        tenants.push_back(std::move(own));
    }
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

std::string tenant_book::leaf_of(std::string_view tenant) const {
    std::string own = std::string(tenant) + own_pods;
    return find(own) != nullptr ? own : std::string(tenant);
}

void tenant_book::hold(std::string_view tenant, std::int64_t amount) {
    for (const auto* each : way_up(leaf_of(tenant))) tenants_.find(each->claim.name)->second.allocated += amount;
    loose_.clear();
}

void tenant_book::set_running(std::vector<tenant_pod> running) {
    std::ranges::sort(running, {}, [](const tenant_pod& p) { return std::tie(p.priority, p.running_seconds, p.name); });
    running_ = std::move(running);
    loose_.clear();
}

// The pods of a tenant, and of those below it what these don't need, up to what exceeds what is due to it.
const tenant_book::loose_pods& tenant_book::loose(const tenant_account& of) const {
    const auto [known, is_new] = loose_.try_emplace(of.claim.name);
    auto& out = known->second;
    if (!is_new) return out;
    loose_pods all;
    for (const auto& [name, each] : tenants_) {
        if (each.claim.parent != of.claim.name) continue;
        const auto& below = loose(each);
        all.insert(all.end(), below.begin(), below.end());
    }
    for (std::size_t i = 0; i < running_.size(); ++i) {
        if (leaf_of(running_[i].tenant) == of.claim.name) all.emplace_back(i, excess::all);
    }
    std::ranges::sort(all);
    std::int64_t left = of.preemptible ? of.allocated - due(of) : 0;
    for (auto at = all.begin(); at != all.end() && left > 0; ++at) {
        const auto amount = running_[at->first].amount;
        if (amount > left) at->second = excess::part;
        left -= amount;
        out.push_back(*at);
    }
    return out;
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
    const auto takers = way_up(leaf_of(tenant)), givers = way_up(leaf_of(victim.tenant));
    if (takers.empty() || givers.empty()) return false;
    if (victim.running_seconds < givers.front()->min_runtime_seconds) return false;
    bool is_guaranteed = true;  // the quota covers the pod
    for (const auto* each : takers) {
        if (std::ranges::count(givers, each) > 0) break;
        if (each->allocated + amount > due(*each)) return false;
        is_guaranteed = is_guaranteed && each->allocated + amount <= each->claim.quota * milli_per_gpu;
    }
    const tenant_account* highest = nullptr;  // below what both have in common
    for (const auto* each : givers) {
        if (std::ranges::count(takers, each) > 0) break;
        highest = each;
    }
    if (highest == nullptr) return false;
    for (const auto& [place, how] : loose(*highest)) {
        if (running_[place].name == victim.name) return how == excess::all || is_guaranteed;
    }
    return false;
}

}  // namespace gpu_scheduler

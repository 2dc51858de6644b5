#include "tenants/fair_share.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

namespace gpu_scheduler {
namespace {

// One of those among which something is divided; all in whole GPUs.
struct party {
    std::string_view name;
    std::int64_t weight = 1;
    std::int64_t most = 0;  // it takes no more
    std::int64_t gets = 0;
};

__extension__ using wide = __int128;  // products of two amounts

// Divides `amount` by weight: nobody gets more than `most`, and what some don't take the others get. The last whole
// GPUs go to the largest remainders.
void divide(std::int64_t amount, std::vector<party*> among) {
    for (;;) {
        std::int64_t weights = 0;
        std::erase_if(among, [](const party* each) { return each->weight == 0 || each->gets == each->most; });
        for (const auto* each : among) weights += each->weight;
        if (weights == 0 || amount == 0) return;
        // Who wants no more than its part is satisfied; all are looked at before any of it is taken away.
        std::vector<party*> satisfied;
        for (auto* each : among) {
            if (wide(each->most - each->gets) * weights <= wide(amount) * each->weight) satisfied.push_back(each);
        }
        for (auto* each : satisfied) amount -= each->most - each->gets;
        for (auto* each : satisfied) each->gets = each->most;
        if (!satisfied.empty()) continue;
        std::ranges::sort(among, {}, [&](const party* each) {
            return std::pair(-static_cast<std::int64_t>(wide(amount) * each->weight % weights), each->name);
        });
        std::int64_t left = amount;
        for (auto* each : among) {
            const auto part = static_cast<std::int64_t>(wide(amount) * each->weight / weights);
            each->gets += part;
            left -= part;
        }
        for (std::size_t i = 0; left > 0; ++i, --left) ++among[i]->gets;
        return;
    }
}

class tree {
public:
    explicit tree(std::vector<tenant_claim> claims) : claims_(std::move(claims)) {
        std::ranges::sort(claims_, {}, &tenant_claim::name);
        for (const auto& each : claims_) below_[parent_of(each)].push_back(&each);
    }

    fair_shares share_out(std::int64_t gpus) {
        share_out_below("", gpus, 0, -1);
        return std::move(shares_);
    }

private:
    const tenant_claim* find(std::string_view name) const {
        const auto found =
            std::ranges::lower_bound(claims_, name, {}, [](const auto& c) { return std::string_view(c.name); });
        return found != claims_.end() && found->name == name ? &*found : nullptr;
    }
    std::string_view parent_of(const tenant_claim& of) const {
        std::set<std::string_view> seen{of.name};
        for (const auto* at = find(of.parent); at != nullptr; at = find(at->parent)) {
            if (!seen.insert(at->name).second) return {};
            if (at->parent.empty()) break;
        }
        return find(of.parent) == nullptr ? std::string_view() : std::string_view(of.parent);
    }
    std::int64_t request_of(const tenant_claim& of) const {
        std::int64_t sum = of.own_request;
        if (const auto found = below_.find(of.name); found != below_.end()) {
            for (const auto* each : found->second) sum += request_of(*each);
        }
        return of.limit < 0 ? sum : std::min(sum, of.limit * milli_per_gpu);
    }

    // Shares out what a tenant got: to its own pods (own_request; -1: there is no such tenant) and to those below it.
    void share_out_below(std::string_view parent, std::int64_t gpus, std::int64_t quota, std::int64_t own_request) {
        const auto found = below_.find(parent);
        if (found == below_.end()) return;
        std::vector<party> parties;
        std::vector<std::int64_t> quotas;
        const auto add = [&](std::string_view name, std::int64_t weight, std::int64_t request,
                             std::int64_t guaranteed) {
            const auto most = (request + milli_per_gpu - 1) / milli_per_gpu;
            parties.push_back({name, weight, most, 0});
            quotas.push_back(std::min(guaranteed, most));
        };
        std::int64_t guaranteed = 0, guaranteed_below = 0;
        for (const auto* each : found->second) {
            add(each->name, each->weight, request_of(*each), each->quota);
            guaranteed_below += each->quota;
        }
        if (own_request >= 0) add(parent, 1, own_request, std::max<std::int64_t>(0, quota - guaranteed_below));
        for (const auto each : quotas) guaranteed += each;
        if (guaranteed <= gpus) {
            for (std::size_t i = 0; i < parties.size(); ++i) parties[i].gets = quotas[i];
            std::vector<party*> among;
            for (auto& each : parties) among.push_back(&each);
            divide(gpus - guaranteed, among);
        } else {
            cut(gpus, parties, quotas);
        }
        for (std::size_t i = 0; i < found->second.size(); ++i) {
            const auto& child = *found->second[i];
            const auto part = parties[i].gets;
            shares_[child.name] = std::min(part * milli_per_gpu, request_of(child));
            share_out_below(child.name, part, child.quota, child.own_request);
        }
    }
    static void cut(std::int64_t gpus, std::vector<party>& parties, const std::vector<std::int64_t>& quotas) {
        std::vector<party> by_quota = parties;
        std::vector<party*> among;
        for (std::size_t i = 0; i < parties.size(); ++i) {
            by_quota[i].weight = by_quota[i].most = quotas[i];
            among.push_back(&by_quota[i]);
        }
        divide(gpus, among);
        for (std::size_t i = 0; i < parties.size(); ++i) parties[i].gets = by_quota[i].gets;
    }

    std::vector<tenant_claim> claims_;  // by name
    std::map<std::string_view, std::vector<const tenant_claim*>> below_;
    fair_shares shares_;
};

}  // namespace

fair_shares share_out(std::int64_t gpus, std::vector<tenant_claim> claims) {
    return tree(std::move(claims)).share_out(gpus);
}

}  // namespace gpu_scheduler

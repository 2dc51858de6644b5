#include "tenants/accounts.hpp"

#include <algorithm>
#include <tuple>

namespace gpu_scheduler {
namespace {

const tenant_quota* quota_of(const tenant& of, std::string_view product) {
    const auto found =
        std::ranges::find(of.spec.quotas, product, [](const tenant_quota& q) { return q.product.view(); });
    return found == of.spec.quotas.end() ? nullptr : &*found;
}

template <class Sums, class Key>
std::int64_t sum_in(const Sums& all, const Key& key) {
    const auto found = all.find(key);
    return found == all.end() ? 0 : found->second;
}

}  // namespace

bool tenant_accounts::set(std::vector<tenant> all) {
    const auto rules = [](const tenant& of) {
        return std::tie(of.metadata.name, of.metadata.creation_timestamp, of.spec);
    };
    const bool are_same = members_ && std::ranges::equal(tenants_, all, {}, rules, rules);
    tenants_ = all;
    if (are_same) return false;
    members_.emplace(std::move(all));
    products_ = {""};
    for (const auto& each : tenants_) {
        for (const auto& quota : each.spec.quotas) products_.insert(quota.product == "*" ? "" : quota.product.str());
    }
    tenant_of_.clear();
    return true;
}

bool tenant_accounts::forget_namespace(std::string_view name) {
    const auto before = tenant_of_.find(name);
    if (before == tenant_of_.end()) return false;
    const auto owner = tenant_of_.extract(before).mapped();
    return tenant_of(name) != owner;
}

const std::string& tenant_accounts::tenant_of(std::string_view namespace_) {
    const auto found = tenant_of_.find(namespace_);
    if (found != tenant_of_.end()) return found->second;
    std::string name(default_tenant);
    if (members_) name = members_->tenant_of(namespace_, labels_of_(namespace_));
    return tenant_of_.emplace(namespace_, std::move(name)).first->second;
}

void tenant_accounts::clear() {
    held_.clear();
    waits_.clear();
    pending_.clear();
    capacity_.clear();
    books_.clear();
}

void tenant_accounts::add_capacity(const std::string& product, std::int64_t amount) {
    capacity_[product] += amount;
    books_.clear();
}

void tenant_accounts::hold(const std::string& product, const std::string& tenant, std::int64_t amount) {
    held_[{"", tenant}] += amount;
    if (products_.contains(product) && !product.empty()) held_[{product, tenant}] += amount;
    books_.clear();
}

void tenant_accounts::wait(const std::string& product, const std::string& tenant, std::int64_t amount, int pods) {
    waits_[{"", tenant}] += amount;
    if (products_.contains(product) && !product.empty()) waits_[{product, tenant}] += amount;
    pending_[tenant] += pods;
    books_.clear();
}

tenant_accounts::tenant_product& tenant_accounts::book(const std::string& product) {
    if (const auto found = books_.find(product); found != books_.end()) return found->second;
    std::vector<tenant_account> accounts;
    const auto add = [&](const std::string& name, const tenant* of) {
        tenant_account made;
        made.claim.name = name;
        made.claim.own_request = requested(product, name);
        if (of != nullptr) {
            made.claim.parent = of->spec.parent.str();
            made.claim.weight = of->spec.weight;
            made.preemptible = of->spec.preemptible;
            made.min_runtime_seconds = of->spec.min_runtime_seconds;
            const auto* row = quota_of(*of, product.empty() ? "*" : product);
            if (row != nullptr) made.claim.limit = row->limit.value_or(-1);
            if (row != nullptr) made.claim.quota = row->gpus;
            std::int64_t named = 0;  // a quota of a product is one of GPUs, too
            for (const auto& each : of->spec.quotas) named += each.product == "*" ? 0 : each.gpus;
            if (product.empty()) made.claim.quota = std::max(made.claim.quota, named);
        }
        accounts.push_back(std::move(made));
    };
    for (const auto& each : tenants_) add(each.metadata.name.str(), &each);
    const bool is_named = std::ranges::any_of(accounts, [](const auto& a) { return a.claim.name == default_tenant; });
    if (!is_named) add(std::string(default_tenant), nullptr);
    std::int64_t gpus = 0;
    for (const auto& [name, amount] : capacity_) gpus += product.empty() || name == product ? amount : 0;
    tenant_book made(gpus / milli_per_gpu, std::move(accounts));
    for (const auto& [key, amount] : held_) {
        if (key.first == product) made.hold(key.second, amount);
    }
    return books_.emplace(product, tenant_product{std::move(made), false}).first->second;
}

std::int64_t tenant_accounts::requested(const std::string& product, const std::string& tenant) const {
    return sum_in(held_, std::pair(product, tenant)) + sum_in(waits_, std::pair(product, tenant));
}

std::int64_t tenant_accounts::pending(const std::string& tenant) const { return sum_in(pending_, tenant); }

std::vector<tenant_limit> tenant_accounts::limits_of(std::string_view tenant) {
    std::vector<tenant_limit> out;
    for (const auto& product : products_) {
        const auto& all = book(product).all;
        for (const auto* each : all.way_up(tenant)) {
            if (each->claim.limit < 0) continue;
            const auto left = each->claim.limit * milli_per_gpu - each->allocated;
            out.push_back({each->claim.name, product, left, *all.over_limit(each->claim.name, left + 1)});
        }
    }
    return out;
}

int tenant_accounts::hunger(std::string_view tenant, const hunger_bounds& bounds) {
    return members_ ? book("").all.hunger(tenant, bounds) : 0;
}

bool tenant_accounts::has_other_hunger(const hunger_bounds& bounds) {
    if (!members_) return false;
    std::map<std::string, int> now;
    for (const auto& each : tenants_) now[each.metadata.name.str()] = hunger(each.metadata.name, bounds);
    now[std::string(default_tenant)] = hunger(default_tenant, bounds);
    if (now == classes_) return false;
    classes_ = std::move(now);
    return true;
}

}  // namespace gpu_scheduler

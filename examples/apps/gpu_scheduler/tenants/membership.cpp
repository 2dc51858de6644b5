#include "tenants/membership.hpp"

#include <kcontrol/base/in_quotes.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace gpu_scheduler {

using kcontrol::in_quotes;

membership::membership(std::vector<tenant> tenants) : tenants_(std::move(tenants)) {
    std::ranges::sort(tenants_, [](const tenant& a, const tenant& b) {
        const auto& x = a.metadata;
        const auto& y = b.metadata;
        if (x.creation_timestamp != y.creation_timestamp) return x.creation_timestamp < y.creation_timestamp;
        return x.name.view() < y.name.view();
    });
    check_parents();
    check_quotas();
    take_namespaces();
}

const tenant* membership::find(std::string_view name) const {
    const auto found = std::ranges::find(tenants_, name, [](const tenant& each) { return each.metadata.name.view(); });
    return found == tenants_.end() ? nullptr : &*found;
}

void membership::find_problem(const tenant& of, std::string reason, std::string message) {
    problems_.try_emplace(of.metadata.name.str(), tenant_problem{std::move(reason), std::move(message)});
}

void membership::check_parents() {
    for (const auto& each : tenants_) {
        const auto said = "spec.parent: " + in_quotes(each.spec.parent);
        if (each.spec.parent.empty()) continue;
        if (find(each.spec.parent) == nullptr) find_problem(each, "ParentNotFound", said + " is no tenant");
        std::set<std::string_view> above;
        for (const auto* at = find(each.spec.parent); at != nullptr; at = find(at->spec.parent)) {
            if (at == &each) find_problem(each, "ParentCycle", said + " leads back to this tenant");
            if (!above.insert(at->metadata.name).second) break;
        }
    }
}

void membership::check_quotas() {
    std::map<std::pair<std::string_view, std::string_view>, std::int64_t> taken;  // of a parent and product
    for (const auto& each : tenants_) {
        const auto* parent = find(each.spec.parent);
        if (parent == nullptr) continue;
        for (const auto& quota : each.spec.quotas) {
            const auto found = std::ranges::find(parent->spec.quotas, quota.product, &tenant_quota::product);
            const auto above = found == parent->spec.quotas.end() ? 0 : found->gpus;
            auto& sum = taken[{parent->metadata.name, quota.product}];
            if (sum + quota.gpus > above) {
                find_problem(each, "QuotaAboveParent",
                             "spec.quotas: " + std::to_string(quota.gpus) + " GPUs of " + in_quotes(quota.product) +
                                 ", but tenant " + parent->metadata.name.str() + " has " + std::to_string(above) +
                                 ", of which tenants below it have " + std::to_string(sum));
                continue;
            }
            sum += quota.gpus;
        }
    }
}

void membership::take_namespaces() {
    for (const auto& each : tenants_) {
        for (const auto& name : each.spec.namespaces) {
            const auto [found, is_new] = by_namespace_.try_emplace(name.str(), each.metadata.name.str());
            if (is_new || found->second == each.metadata.name.view()) continue;
            find_problem(each, "NamespaceTaken",
                         "spec.namespaces: " + in_quotes(name) + " belongs to tenant " + found->second);
        }
        if (!each.spec.namespace_selector) continue;
        auto selector = kcontrol::label_selector::of(each.spec.namespace_selector);
        if (selector) {
            by_labels_.emplace_back(std::move(*selector), each.metadata.name.str());
        } else {
            find_problem(each, "InvalidSelector", "spec.namespaceSelector: " + selector.error().message());
        }
    }
}

std::string membership::tenant_of(std::string_view namespace_, const kcontrol::dict<text>& labels) const {
    if (const auto found = by_namespace_.find(namespace_); found != by_namespace_.end()) return found->second;
    const auto label = [&](std::string_view key) -> std::optional<std::string_view> {
        const auto* value = labels.get(key);
        return value == nullptr ? std::nullopt : std::optional(value->view());
    };
    for (const auto& [selector, name] : by_labels_) {
        if (selector.matches_with(label)) return name;
    }
    return std::string(default_tenant);
}

}  // namespace gpu_scheduler

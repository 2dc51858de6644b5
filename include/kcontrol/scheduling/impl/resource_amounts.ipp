#pragma once

#include <kcontrol/model/label_selector.hpp>
#include <kcontrol/scheduling/impl/capped_sum.hpp>
#include <kcontrol/scheduling/resource_amounts.hpp>

#include <algorithm>
#include <string>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

template <class Amounts>
auto lower_extended(Amounts& all, const interned_name& resource) noexcept {
    return std::lower_bound(all.begin(), all.end(), resource,
                            [](const extended_amount& one, const interned_name& name) { return one.resource < name; });
}

}  // namespace detail

KCONTROL_DECL std::int64_t resource_amounts::extended(const interned_name& resource) const noexcept {
    for (const auto& one : extended_) {
        if (one.resource == resource) return one.amount;
    }
    return 0;
}

KCONTROL_DECL void resource_amounts::set_extended(const interned_name& resource, std::int64_t amount) {
    const auto at = detail::lower_extended(extended_, resource);
    const bool is_there = at != extended_.end() && at->resource == resource;
    if (amount == 0) {
        if (is_there) extended_.erase(at);
    } else if (is_there) {
        at->amount = amount;
    } else {
        extended_.insert(at, {resource, amount});
    }
}

KCONTROL_DECL std::int64_t resource_amounts::amount_of(std::string_view resource) const {
    if (resource == "cpu") return cpu_milli;
    if (resource == "memory") return memory;
    if (resource == "ephemeral-storage") return ephemeral_storage;
    if (resource == "pods") return pods;
    for (const auto& one : extended_) {
        if (one.resource == resource) return one.amount;
    }
    return 0;
}

KCONTROL_DECL bool resource_amounts::is_extended(std::string_view resource) {
    if (resource.starts_with("hugepages-") || resource.starts_with("attachable-volumes-")) return true;
    if (resource.find("kubernetes.io/") != std::string_view::npos) return true;
    if (resource.find('/') == std::string_view::npos || resource.starts_with("requests.")) return false;
    return is_label_key("requests." + std::string(resource));  // as a quota names it
}

KCONTROL_DECL bool resource_amounts::add(const resource_amounts& other) {
    bool fits = detail::add_capped(cpu_milli, other.cpu_milli);
    fits &= detail::add_capped(memory, other.memory);
    fits &= detail::add_capped(ephemeral_storage, other.ephemeral_storage);
    fits &= detail::add_capped(pods, other.pods);
    for (const auto& one : other.extended_) {
        std::int64_t sum = extended(one.resource);
        fits &= detail::add_capped(sum, one.amount);
        set_extended(one.resource, sum);
    }
    return fits;
}

KCONTROL_DECL void resource_amounts::subtract(const resource_amounts& part) {
    cpu_milli -= part.cpu_milli;
    memory -= part.memory;
    ephemeral_storage -= part.ephemeral_storage;
    pods -= part.pods;
    for (const auto& one : part.extended_) set_extended(one.resource, extended(one.resource) - one.amount);
}

KCONTROL_DECL void resource_amounts::raise_to(const resource_amounts& other) {
    cpu_milli = std::max(cpu_milli, other.cpu_milli);
    memory = std::max(memory, other.memory);
    ephemeral_storage = std::max(ephemeral_storage, other.ephemeral_storage);
    pods = std::max(pods, other.pods);
    for (const auto& one : other.extended_) {
        set_extended(one.resource, std::max(extended(one.resource), one.amount));
    }
}

}  // namespace kcontrol::scheduling

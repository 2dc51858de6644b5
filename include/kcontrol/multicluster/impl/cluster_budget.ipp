#pragma once

#include <kcontrol/multicluster/cluster_budget.hpp>

#include <string>

namespace kcontrol::inline v0_1 {
namespace detail {

// The sum over all caches of what `amount` says of one, held against the bound.
template <class Amount>
std::optional<error> over_bound(const std::vector<informer_report>& caches, std::uint64_t bound, const char* what,
                                const char* remedy, Amount amount) {
    if (bound == 0) return std::nullopt;
    std::uint64_t sum = 0, most = 0;
    std::string largest;
    for (const informer_report& one : caches) {
        const std::uint64_t part = amount(one.status);
        sum += part;
        if (part <= most) continue;
        most = part;
        largest = one.name();
    }
    if (sum <= bound) return std::nullopt;
    return error(errc::limit_exceeded, "the cluster has " + std::to_string(sum) + " " + what + ", " +
                                           std::to_string(bound) + " are in its budget, and most are " + largest +
                                           ": raise cluster_budget::" + remedy +
                                           "(), or watch less by namespaces or selectors");
}

}  // namespace detail

KCONTROL_DECL std::optional<error> cluster_budget::exceeded_by(const std::vector<informer_report>& caches) const {
    auto out = detail::over_bound(caches, objects_, "objects in its caches", "objects",
                                  [](const informer_status& s) { return std::uint64_t{s.objects}; });
    if (!out)
        out = detail::over_bound(caches, list_bytes_, "bytes in its lists", "list_bytes",
                                 [](const informer_status& s) { return s.list_bytes; });
    if (!out)
        out = detail::over_bound(caches, invalid_, "invalid objects", "invalid_objects",
                                 [](const informer_status& s) { return std::uint64_t{s.invalid}; });
    return out;
}

}  // namespace kcontrol

// The name of a resource of an API server: its group and its plural.
#pragma once

#include <compare>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::testing {

/// Group and plural: what errors, permissions and the store call a resource. Prints as "jobs.batch" or "pods".
class group_resource {
public:
    group_resource() = default;
    /// `g`: the group, empty for core, `r`: the plural.
    group_resource(std::string g, std::string r) : group(std::move(g)), resource(std::move(r)) {}

    std::string group;     ///< empty: core
    std::string resource;  ///< plural; in some refusals the kind

    std::string text() const;  ///< "jobs.batch", or "pods" of core

    friend auto operator<=>(const group_resource&, const group_resource&) = default;
};

}  // namespace kcontrol::testing

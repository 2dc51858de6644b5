// Amounts of resources: what a pod requests, what a node has, and their sums.
#pragma once

#include <kcontrol/scheduling/interned_name.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// An amount of a resource other than cpu, memory, ephemeral-storage and pods.
struct extended_amount {
    interned_name resource;   ///< such as "nvidia.com/gpu" or "hugepages-2Mi"
    std::int64_t amount = 0;  ///< at least 1 in resource_amounts

    friend bool operator==(const extended_amount&, const extended_amount&) = default;
};

/// Amounts of all resources that kube-scheduler counts. No amount is negative. A sum that would be greater than 2^63-1
/// is 2^63-1.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class resource_amounts {
public:
    std::int64_t cpu_milli = 0;          ///< cpu, in thousandths of a core
    std::int64_t memory = 0;             ///< memory, in bytes
    std::int64_t ephemeral_storage = 0;  ///< ephemeral-storage, in bytes
    std::int64_t pods = 0;               ///< allocatable: how many pods; requested: how many there are

    /// Extended resources, huge pages and attachable volumes of which there are any, sorted by name.
    const std::vector<extended_amount>& extended() const noexcept { return extended_; }
    /// The amount of such a resource, or 0.
    KCONTROL_DECL std::int64_t extended(const interned_name& resource) const noexcept;
    /// Sets it; 0 takes the resource out.
    KCONTROL_DECL void set_extended(const interned_name& resource, std::int64_t amount);

    /// The amount of a resource by its name in requests: cpu in thousandths, everything else as it is.
    KCONTROL_DECL std::int64_t amount_of(std::string_view resource) const;

    /// Whether kube-scheduler counts an extended() resource of that name; others, such as "storage", it ignores.
    static KCONTROL_DECL bool is_extended(std::string_view resource);

    /// Adds each amount. False: one would be greater than 2^63-1, and is 2^63-1 now.
    KCONTROL_DECL bool add(const resource_amounts& other);
    /// Subtracts each amount of a part that was added; add() returned true for all parts.
    KCONTROL_DECL void subtract(const resource_amounts& part);
    /// Raises each amount to that of `other` where that one is greater.
    KCONTROL_DECL void raise_to(const resource_amounts& other);

    friend bool operator==(const resource_amounts&, const resource_amounts&) = default;

private:
    std::vector<extended_amount> extended_;
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/resource_amounts.ipp>
#endif

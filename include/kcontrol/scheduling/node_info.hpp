// node_info: a node, the pods that count on it, and their sums.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/base/error.hpp>
#include <kcontrol/scheduling/host_port.hpp>
#include <kcontrol/scheduling/interned_name.hpp>
#include <kcontrol/scheduling/pod_info.hpp>
#include <kcontrol/scheduling/resource_amounts.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// A node with its pods. The snapshot has one for each node; a dry run works on copies.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
/// Object lifetime: the pods outlive it; in a snapshot they do.
class node_info {
public:
    /// A node without pods.
    KCONTROL_DECL explicit node_info(std::shared_ptr<const api::core::v1::node> node);
    /// A node of which nothing is known but its name: pods say that they are on it.
    KCONTROL_DECL explicit node_info(std::string name);

    std::string_view name() const noexcept { return name_; }  ///< metadata.name of the node
    /// Whether the node exists. Nodes that filters and scores see do.
    bool exists() const noexcept { return node_ != nullptr; }
    const api::core::v1::node& node() const noexcept { return *node_; }  ///< exists() holds
    /// The node to keep it; null if it does not exist.
    const std::shared_ptr<const api::core::v1::node>& shared_node() const noexcept { return node_; }
    /// The value of a label of the node, or null if it has none of this key, or does not exist.
    const text* label(std::string_view key) const noexcept {
        return node_ == nullptr ? nullptr : node_->metadata.labels.get(key);
    }

    /// Whether spec.unschedulable is true.
    bool is_unschedulable() const noexcept { return is_unschedulable_; }
    /// Whether it has taints.
    bool has_taints() const noexcept { return has_taints_; }

    /// What its pods may request together. An amount that is wrong is 0.
    const resource_amounts& allocatable() const noexcept { return allocatable_; }
    /// The sum of what its pods request; `pods` is their number.
    const resource_amounts& requested() const noexcept { return requested_; }
    std::int64_t scored_cpu_milli() const noexcept { return scored_cpu_milli_; }  ///< sum of pod_info's
    std::int64_t scored_memory() const noexcept { return scored_memory_; }        ///< sum of pod_info's

    /// All pods that count here. The order is of no meaning.
    const std::vector<const pod_info*>& pods() const noexcept { return pods_; }
    /// Those that have terms of pod affinity or anti-affinity.
    const std::vector<const pod_info*>& pods_with_affinity() const noexcept { return pods_with_affinity_; }
    /// Those that have required terms of pod anti-affinity.
    const std::vector<const pod_info*>& pods_with_required_anti_affinity() const noexcept {
        return pods_with_required_anti_affinity_;
    }

    /// The ports that its pods take, sorted. A port that two pods take is there twice.
    const std::vector<host_port>& used_ports() const noexcept { return used_ports_; }
    /// Whether one of its pods takes that port.
    KCONTROL_DECL bool has_port_conflict(const host_port& wanted) const noexcept;

    /// The size in bytes of an image that the node has, or none.
    KCONTROL_DECL std::optional<std::int64_t> image_size(const interned_name& image) const noexcept;

    /// Another number after each change. Equal numbers: an equal node with equal pods, also of a copy.
    std::uint64_t version() const noexcept { return version_; }

    /// What is wrong with the node, or null: object, field and value.
    const error* invalid() const noexcept { return invalid_.get(); }

    /// The place of the node in arrays with an element for each node: below snapshot::slots(). Another node may have it
    /// after this one is deleted.
    std::size_t slot() const noexcept { return slot_; }

    /// Counts a pod here: of the snapshot in a dry run, where `*this` is a copy.
    KCONTROL_DECL void add(const pod_info& pod);
    /// No longer counts it; false: it did not count here.
    KCONTROL_DECL bool remove(const pod_info& pod);
    /// Another version of the node.
    KCONTROL_DECL void set_node(std::shared_ptr<const api::core::v1::node> node);

private:
    friend class cache;
    struct image {
        interned_name name;
        std::int64_t size = 0;
    };
    KCONTROL_DECL void add_amounts(const pod_info& pod);
    static KCONTROL_DECL std::uint64_t next_version() noexcept;

    std::shared_ptr<const api::core::v1::node> node_;
    std::string name_;
    std::size_t slot_ = 0;
    std::uint64_t version_ = next_version();
    bool is_unschedulable_ = false;  // copies, so that filters need not look at the node itself
    bool has_taints_ = false;
    resource_amounts allocatable_;
    resource_amounts requested_;
    std::int64_t scored_cpu_milli_ = 0;
    std::int64_t scored_memory_ = 0;
    std::vector<const pod_info*> pods_;
    std::vector<const pod_info*> pods_with_affinity_;
    std::vector<const pod_info*> pods_with_required_anti_affinity_;
    std::vector<host_port> used_ports_;
    std::vector<image> images_;  // sorted by address
    bool is_exact_ = true;       // no amount of the sums was capped
    std::shared_ptr<const error> invalid_;
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/node_info.ipp>
#endif

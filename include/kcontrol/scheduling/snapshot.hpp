// snapshot: the nodes and the pods on them, as one decision sees them.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/scheduling/detail/pod_table.hpp>
#include <kcontrol/scheduling/interned_name.hpp>
#include <kcontrol/scheduling/node_info.hpp>
#include <kcontrol/scheduling/pod_info.hpp>
#include <kcontrol/scheduling/topology.hpp>
#include <kcontrol/values/dict.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// A pod that counts on a node.
struct placed_pod {
    const pod_info* pod = nullptr;    ///< the version that counts
    const node_info* node = nullptr;  ///< may be of a node that does not exist
    bool is_assumed = false;          ///< the decision is made; the API server has not shown it yet
};

/// What filters and scores decide on. It is the reading face of a cache, which updates it: nothing is copied. It counts
/// each pod that has a node and has not ended, whoever placed it, and each assumed pod. During a round nothing changes
/// it but the round's own calls of cache::assume() and forget(); after them pointers and ranges must be taken anew.
///
/// Thread-safety: shared objects safe for const access while the cache is not changed.
class snapshot {
public:
    snapshot(const snapshot&) = delete;
    snapshot& operator=(const snapshot&) = delete;

    /// The nodes that exist. Zones alternate, so that the first nodes of the list are of all zones.
    const std::vector<const node_info*>& nodes() const noexcept { return nodes_; }
    /// The node of that name that exists, or null.
    KCONTROL_DECL const node_info* find(std::string_view node) const;
    /// How long an array is that has an element for each node_info::slot().
    std::size_t slots() const noexcept { return slots_.size(); }
    /// The node in that slot if it exists, or null.
    const node_info* at(std::size_t slot) const noexcept {
        const auto* found = slots_[slot].get();
        return found != nullptr && found->exists() ? found : nullptr;
    }

    /// Nodes with pods that have terms of pod affinity or anti-affinity.
    const std::vector<const node_info*>& nodes_with_affinity() const noexcept { return nodes_with_affinity_; }
    /// Nodes with pods that have required terms of pod anti-affinity.
    const std::vector<const node_info*>& nodes_with_required_anti_affinity() const noexcept {
        return nodes_with_required_anti_affinity_;
    }

    /// The pods of a namespace that count. The order is of no meaning.
    KCONTROL_DECL const std::vector<const placed_pod*>& pods_in(std::string_view namespace_) const;
    /// The pod if it counts on a node, or null.
    KCONTROL_DECL const placed_pod* find_pod(std::string_view namespace_, std::string_view name) const;
    std::size_t pod_count() const noexcept { return records_.size(); }  ///< how many pods count

    /// The nodes by the values of a label; null if neither a pod that counts nor the pod of cache::prepare() has a term
    /// with this key.
    KCONTROL_DECL const topology* by_label(const interned_name& key) const;

    /// How many nodes have that image.
    KCONTROL_DECL std::size_t nodes_with_image(const interned_name& image) const;
    /// The labels of a namespace, or null if it is not known.
    KCONTROL_DECL const dict<text>* namespace_labels(std::string_view namespace_) const;

private:
    friend class cache;
    snapshot() = default;

    // A pod that counts, and what the cache knows of it.
    struct record : placed_pod {
        std::shared_ptr<const pod_info> shared;
        node_info* on = nullptr;                        // the same node
        std::unique_ptr<const dict<text>> annotations;  // assumed: those of the decision, if it has some
        std::uint64_t assumption = 0;                   // assumed: the number of the decision
        bool is_bound = false;                          // assumed, and known to be bound
        bool is_read = false;                           // assumed, and read on its node: the event that shows it is due
        std::size_t place_in_namespace = 0;
    };
    struct text_hash : std::hash<std::string_view> {
        using is_transparent = void;
    };
    template <class T>
    using by_text = std::unordered_map<std::string, T, text_hash, std::equal_to<>>;
    // A topology, and how many pods that count have terms with its key.
    struct used_topology {
        std::unique_ptr<topology> value;
        std::size_t uses = 0;
        std::uint64_t last_asked = 0;
    };

    std::vector<std::unique_ptr<node_info>> slots_;
    by_text<std::size_t> slot_of_node_;  // also of nodes that do not exist
    std::vector<const node_info*> nodes_;
    std::vector<const node_info*> nodes_with_affinity_;
    std::vector<const node_info*> nodes_with_required_anti_affinity_;
    detail::pod_table<record> records_;
    by_text<std::vector<const placed_pod*>> pods_of_namespace_;
    by_text<std::shared_ptr<const api::core::v1::namespace_>> namespaces_;
    std::unordered_map<interned_name, used_topology> topologies_;
    std::unordered_map<interned_name, std::size_t> nodes_of_image_;
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/snapshot.ipp>
#endif

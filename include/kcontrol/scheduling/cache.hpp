// cache: keeps a snapshot up to date with events, decisions and the answers to bindings.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/scheduling/interned_name.hpp>
#include <kcontrol/scheduling/node_info.hpp>
#include <kcontrol/scheduling/pod_info.hpp>
#include <kcontrol/scheduling/snapshot.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// What an event or an answer meant for a pod.
enum class pod_change {
    none,       ///< it does not count, and did not
    placed,     ///< it counts now
    updated,    ///< it counts where it did
    confirmed,  ///< it counts where it was assumed, and the API server shows it there
    moved,      ///< it counts on another node than before: it was bound elsewhere
    removed,    ///< it counts no longer
};

/// Nodes and pods as a scheduler sees them. A placement counts from the decision on: assume() is called with the
/// decision, before the binding is sent. Then one of these ends the assumption:
///
/// - The watch shows the pod on a node: set_pod(). It counts there, wherever it was assumed.
/// - The binding was refused, and is known not to have happened: forget().
/// - The answer is lost, or a 409: the scheduler reads the pod, and calls settle() with it, or forget() if there is
/// none.
/// - The pod ended or was deleted: set_pod() or remove_pod().
///
/// Nothing ends it by time. A cache that is made anew is filled from lists of nodes, pods and namespaces.
///
/// Events of one pod come in the order of the watch. Answers may come at any time, also late: they never bring back a
/// pod that the watch showed to be deleted.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class cache {
public:
    KCONTROL_DECL cache();
    KCONTROL_DECL ~cache();
    cache(const cache&) = delete;
    cache& operator=(const cache&) = delete;

    /// What is known now.
    const scheduling::snapshot& snapshot() const noexcept { return snapshot_; }
    /// The same for a decision about `pod`: nodes in order, and by the labels of the pod's terms and by `labels`.
    KCONTROL_DECL const scheduling::snapshot& prepare(const pod_info& pod,
                                                      const std::vector<interned_name>& labels = {});

    /// A node was added or modified. Pods that named it before count on it.
    KCONTROL_DECL void set_node(std::shared_ptr<const api::core::v1::node> node);
    /// A node was deleted. Its pods count until they are deleted, too, and on a node that is added under this name.
    KCONTROL_DECL void remove_node(std::string_view name);
    /// A namespace was added or modified.
    KCONTROL_DECL void set_namespace(std::shared_ptr<const api::core::v1::namespace_> object);
    KCONTROL_DECL void remove_namespace(std::string_view name);  ///< a namespace was deleted

    /// A pod was added or modified, as the watch shows it.
    KCONTROL_DECL pod_change set_pod(std::shared_ptr<const pod_info> pod);
    /// The watch shows that the pod was deleted. Another pod of that name, of another uid, stays.
    KCONTROL_DECL pod_change remove_pod(std::string_view namespace_, std::string_view name, std::string_view uid);

    /// The decision: the pod counts on the node from now on. False: there is no such node, or the pod counts already.
    KCONTROL_DECL bool assume(std::shared_ptr<const pod_info> pod, std::string_view node);
    /// The binding was answered with success. Until the watch shows it, events without a node are older than it.
    KCONTROL_DECL void confirm(const pod_info& pod);
    /// The pod is not bound and will not be: it counts no longer. False: it was not assumed, or confirm() was called.
    KCONTROL_DECL bool forget(const pod_info& pod);
    /// What was read of an assumed pod after a lost answer: it counts on the node that it is on; without a node it
    /// counts no longer.
    KCONTROL_DECL pod_change settle(std::shared_ptr<const pod_info> read);

    /// How many pods are assumed, and not yet shown by the watch.
    std::size_t assumed_count() const noexcept { return assumed_count_; }

private:
    using record = scheduling::snapshot::record;

    KCONTROL_DECL record* find(const pod_info& pod) const;
    KCONTROL_DECL node_info& node_for(std::string_view name);
    KCONTROL_DECL void place(record& pod, node_info& on);
    KCONTROL_DECL void displace(record& pod);
    KCONTROL_DECL void replace(record& pod, std::shared_ptr<const pod_info> by);
    KCONTROL_DECL void move_to(record& pod, std::string_view node);
    KCONTROL_DECL record& insert(std::shared_ptr<const pod_info> pod, std::string_view node);
    KCONTROL_DECL void erase(record& pod);
    KCONTROL_DECL void set_assumed(record& pod, bool is_assumed);
    KCONTROL_DECL void list_affinity(const node_info& node);
    KCONTROL_DECL void release_node(node_info& node);
    KCONTROL_DECL void count_images(const node_info& node, bool add);
    KCONTROL_DECL topology& topology_of(const interned_name& key);
    KCONTROL_DECL void count_topologies(const pod_info& pod, bool add);
    KCONTROL_DECL void drop_topologies();
    KCONTROL_DECL void order_nodes();

    scheduling::snapshot snapshot_;
    std::vector<std::size_t> free_slots_;
    std::size_t assumed_count_ = 0;
    std::uint64_t asked_ = 0;  // calls of prepare()
    bool is_ordered_ = true;
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/cache.ipp>
#endif

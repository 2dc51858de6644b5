// cache: keeps a snapshot up to date with events, decisions and the answers to bindings.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/scheduling/interned_name.hpp>
#include <kcontrol/scheduling/node_info.hpp>
#include <kcontrol/scheduling/pod_info.hpp>
#include <kcontrol/scheduling/snapshot.hpp>
#include <kcontrol/values/dict.hpp>
#include <kcontrol/values/text.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
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

/// What changed of the pods that count.
struct placement_change {
    std::shared_ptr<const pod_info> before;  ///< null: it did not count, or was assumed
    std::shared_ptr<const pod_info> after;   ///< null: it counts no longer
};

/// One decision about one pod. The answers to its binding name it, so that a late answer to an earlier decision ends
/// none that was made since.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class assumption {
public:
    assumption() noexcept = default;                                  ///< no decision
    explicit operator bool() const noexcept { return number_ != 0; }  ///< whether it is a decision
    /// The version that was decided on, with the annotations of the decision. Null without a decision.
    const std::shared_ptr<const pod_info>& pod() const noexcept { return pod_; }
    /// Whether it is the same decision of the same cache.
    friend bool operator==(const assumption& a, const assumption& b) noexcept { return a.number_ == b.number_; }

private:
    friend class cache;
    std::shared_ptr<const pod_info> pod_;
    std::uint64_t number_ = 0;  // no two of a cache are equal
};

/// Nodes and pods as a scheduler sees them. A placement counts from the decision on: assume() is called with the
/// decision, before the binding is sent. Then one of these ends the assumption:
///
/// - The watch shows the pod on a node: set_pod(). It counts there, wherever it was assumed.
/// - The binding was refused, and is known not to have happened: forget().
/// - The answer is lost, or a 409: the scheduler reads the pod, and calls settle() with it, or forget() if there is
/// none.
/// - The pod ended or was deleted: set_pod() or remove_pod().
/// - Nothing was sent, since the decision was part of a trial: roll_back().
///
/// Nothing ends it by time. A cache that is made anew is filled from lists of nodes, pods and namespaces.
///
/// Events of one pod come in the order of the watch. Answers may come at any time, also late: they never bring back a
/// pod that the watch showed to be deleted.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class cache {
public:
    /// Is called when pods count that did not, or no longer, or in another version: after the change, once for each. It
    /// must not change the cache. Assumptions are no change until the watch shows the pod; their end by forget() and
    /// settle() is one.
    using change_function = std::function<void(const placement_change&)>;

    /// An empty cache.
    KCONTROL_DECL explicit cache(change_function on_change = {});
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

    /// The decision: the pod counts on the node from now on, with `annotations` beside its own, as the binding will add
    /// them. No decision is returned if there is no such node, or if the pod counts already.
    KCONTROL_DECL assumption assume(std::shared_ptr<const pod_info> pod, std::string_view node,
                                    dict<text> annotations = {});
    /// The binding was answered with success. Until the watch shows it, events without a node are older than it. False:
    /// the assumption has ended.
    KCONTROL_DECL bool confirm(const assumption& of);
    /// The pod is not bound and will not be: it counts no longer. False: the assumption has ended, or confirm() was
    /// called.
    KCONTROL_DECL bool forget(const assumption& of);
    /// The same for a decision that nobody acted on: no change is reported.
    KCONTROL_DECL bool roll_back(const assumption& of);
    /// What was read of an assumed pod after a lost answer: it counts on the node that it is on; without a node it
    /// counts no longer.
    KCONTROL_DECL pod_change settle(const assumption& of, std::shared_ptr<const pod_info> read);

    /// How many pods are assumed, and not yet shown by the watch.
    std::size_t assumed_count() const noexcept { return assumed_count_; }

private:
    friend class trial;
    using record = scheduling::snapshot::record;

    KCONTROL_DECL record* find(const pod_info& pod) const;
    KCONTROL_DECL record* find(const assumption& of) const;
    KCONTROL_DECL void report(std::shared_ptr<const pod_info> before, std::shared_ptr<const pod_info> after) const;
    KCONTROL_DECL void remove(record& pod);
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
    change_function on_change_;
    std::vector<std::size_t> free_slots_;
    std::size_t assumed_count_ = 0;
    std::uint64_t assumptions_ = 0;  // the number of the last
    std::uint64_t asked_ = 0;        // calls of prepare()
    bool is_ordered_ = true;
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/cache.ipp>
#endif

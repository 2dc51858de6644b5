// Which objects go because those who owned them went: Kubernetes' garbage collector as a pure state machine.
#pragma once

#include <kcontrol/model/object_key.hpp>

#include "testserver/deletion.hpp"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// One of an object's owner references.
class owner_link {
public:
    std::string kind;        ///< "Deployment.apps"
    std::string name;        ///< of the owner, in the dependent's namespace or in none
    std::string uid;         ///< of the owner, who is found by it
    bool blocks = false;     ///< blockOwnerDeletion
    bool resolvable = true;  ///< the server serves that kind, in a scope that may own the object
};

/// What the collector has to know of an object.
class graph_node {
public:
    group_resource id;               ///< group and plural of its kind
    namespaced_name key;             ///< no namespace: cluster-scoped
    std::string kind;                ///< as in owner_link
    std::string uid;                 ///< metadata.uid, by which the collector knows it
    std::vector<owner_link> owners;  ///< metadata.ownerReferences; none: nothing collects it
    bool deleting = false;           ///< it has a deletionTimestamp
    bool waits = false;              ///< finalizer foregroundDeletion
    bool orphans = false;            ///< finalizer orphan
};

/// What the collector wants done to an object.
class collector_action {
public:
    /// What is to be done; some of these need one more member.
    enum class kind {
        remove,          ///< delete it, with `policy`
        drop_owners,     ///< take the owner references with `uids` away
        unblock,         ///< set blockOwnerDeletion of all its references to false
        drop_finalizer,  ///< take `finalizer` away
        report_owners,   ///< report that the owners with `uids` are in another namespace
    };

    kind what = kind::remove;                      ///< says which of the last three members counts
    group_resource id;                             ///< group and plural of the object's kind
    namespaced_name key;                           ///< of the object
    std::string uid;                               ///< only the object with this uid is meant
    propagation policy = propagation::background;  ///< of `remove`: the propagationPolicy
    std::set<std::string> uids;                    ///< of `drop_owners` and `report_owners`: those of the owners
    std::string finalizer;                         ///< of `drop_finalizer`: "orphan" or "foregroundDeletion"
};

/// Objects in, actions out. Whoever carries an action out shows the collector what became of the object; an action that
/// could not be carried out is forgotten until the object or one of its owners changes.
///
/// Source: kube-controller-manager's garbagecollector (attemptToDeleteItem, processDeletingDependentsItem, orphaning).
/// Thread-safety: distinct objects safe; shared objects unsafe.
class garbage_collector {
public:
    /// The object exists, in this state.
    void on_observed(graph_node node);
    /// The object was deleted.
    void on_deleted(const std::string& uid);
    /// What is to be done next; nothing if all is well.
    std::optional<collector_action> next();
    bool idle() const noexcept { return queue_.empty(); }  ///< no object waits for a judgement
    /// Forgets everything.
    void clear();

private:
    enum class owner_state { solid, absent, waiting };

    void touch(const std::string& uid);
    void touch_dependents(const std::string& uid);
    owner_state state_of(const graph_node& dependent, const owner_link& link) const;
    std::vector<const graph_node*> dependents_of(const graph_node& owner) const;
    std::optional<collector_action> judge(const graph_node& node);
    std::optional<collector_action> judge_orphaning(const graph_node& node);
    std::optional<collector_action> judge_owned(const graph_node& node) const;
    std::optional<collector_action> report_foreign_owners(const graph_node& node);

    std::map<std::string, graph_node> nodes_;                  // by uid
    std::map<std::string, std::set<std::string>> dependents_;  // owner's uid → uids
    std::deque<std::string> queue_;
    std::set<std::string> queued_;
    std::map<std::string, std::set<std::string>> reported_;  // uid → those of owners that are reported
};

}  // namespace kcontrol::testing

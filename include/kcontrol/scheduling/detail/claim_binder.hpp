// claim_binder: DynamicResources that also writes what it decides, before the pod is bound.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/scheduling/claim_catalog.hpp>
#include <kcontrol/scheduling/dynamic_resources.hpp>
#include <kcontrol/scheduling/node_info.hpp>
#include <kcontrol/scheduling/placement.hpp>
#include <kcontrol/scheduling/post_filter.hpp>
#include <kcontrol/scheduling/status.hpp>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling::detail {

/// What a claim_binder works with. Plugins may outlive their scheduler, so they share it.
struct claim_access {
    claim_access(environment& e, client c, std::shared_ptr<claim_catalog> known)
        : env(e), writer(std::move(c)), objects(std::move(known)) {}

    environment& env;
    client writer;
    std::shared_ptr<claim_catalog> objects;
    std::stop_token stop;      // of the term
    bool is_complete = false;  // all claims, classes and slices are known
    std::function<void(awaitable<void>)> spawn;
    std::function<void()> changed;  // pods that wait for claims may be tried again
    // By the uid of a claim: pods whose reservation is being taken back, and whether the allocation goes with them.
    struct leaving_pods {
        std::set<std::string> uids;
        bool frees = false;
        bool is_begun = false;  // else a write of that pod is on its way still
    };
    std::map<std::string, leaving_pods, std::less<>> left;
    std::set<std::string, std::less<>> unmaking;      // uids of pods whose extended claims are being deleted
    std::function<void(const object_meta&)> written;  // a version of a pod that the server has
};

/// Writes the allocation and the reservation into the status of the claims, in the order of kube-scheduler: finalizer,
/// then both together, then the binding. A pod that is not bound after that gives them back.
///
/// A lost answer is never taken for a failure: the claim is read until it is known what became of the write, and its
/// devices are held meanwhile. A claim that somebody else allocated in between fails the binding, and the pod is tried
/// again with what the claim has then.
///
/// For an extended_claim it makes a claim with a name that follows from the uid of the pod: who makes it again, after a
/// lost answer or a restart, finds it. The pod's status names it before the binding. It is deleted if the pod is not
/// bound. The status is then taken back, too, which servers from 1.37 on ignore.
///
/// Thread-safety: it belongs to the client's executor.
class claim_binder : public dynamic_resources {
public:
    struct state : dynamic_resources::state {
        bool is_writing = false;
        bool may_be_written = false;
        bool is_given_up = false;  // while it was writing
    };

    explicit claim_binder(std::shared_ptr<claim_access> with)
        : dynamic_resources(with->objects), with_(std::move(with)) {}

    KCONTROL_DECL status pre_filter(state& of_pod, const pod_info& pod, const snapshot& nodes) const;
    /// Frees claims that are allocated for no other pod, or for none outside of the gang: they may get devices
    /// elsewhere.
    KCONTROL_DECL post_filter_result post_filter(const post_filter_request& request) const;
    KCONTROL_DECL void unreserve(state& of_pod, const placement& of) noexcept;
    KCONTROL_DECL awaitable<status> pre_bind(state& of_pod, placement& of);

private:
    KCONTROL_DECL void leave(const claim_catalog::claim& claim, std::string_view uid, bool frees) const;
    KCONTROL_DECL void leave_all(state& of_pod, const pod_info& pod) const;
    KCONTROL_DECL void unmake(const pod_info& pod) const;

    std::shared_ptr<claim_access> with_;
};

}  // namespace kcontrol::scheduling::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/claim_binder.ipp>
#endif

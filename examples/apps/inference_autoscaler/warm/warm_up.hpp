// The warm-up of one pod, as a pure state machine: what is seen of the pod and what its engine answered in, the next
// step out.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/model/object_meta.hpp>
#include <kcontrol/runtime/time.hpp>

#include "api/validation.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace inference_autoscaler {

inline constexpr std::string_view warmed_up = "WarmedUp", restarted = "ContainerRestarted";
inline constexpr std::string_view warm_up_failed = "WarmUpFailed";    ///< the pod is deleted
inline constexpr std::string_view warm_up_failing = "WarmUpFailing";  ///< so are all of its template: it is kept

enum class warmth { loading, warming, warm, failed };

/// A pod, as far as its warm-up needs it.
struct warm_pod {
    std::string namespace_, name, uid, ip;
    std::string template_;              ///< of its owner: the hash of the template
    bool containers_ready = false;      ///< its condition ContainersReady
    bool running = false;               ///< none of its containers has ended, or waits to start again
    bool leaving = false;               ///< it is being deleted
    std::int64_t restarts = 0;          ///< of all its containers
    kcontrol::wall_time ready_since{};  ///< when ContainersReady last changed
    std::string status, reason;         ///< of its condition `warm_condition`; empty: it has none
    std::int64_t judged_restarts = -1;  ///< the restarts that this condition is about

    /// What its condition says, where that is about the containers that run now.
    warmth state() const;
};

/// Reads a pod.
warm_pod warm_pod_of(const kcontrol::object_meta& meta, const kcontrol::api::core::v1::pod_status& status);

/// Which pods of a template failed. Three of them are deleted, and no more until one is warm.
class failure_ledger {
public:
    /// Whether this pod is one of the three; it is from now on, if there were fewer.
    bool may_remove(const warm_pod& pod);
    /// Whether three pods of that template failed already.
    bool failing(const std::string& template_hash) const;
    void warmed(const warm_pod& pod) { failed_.erase(pod.template_); }
    /// A pod that was kept before this program began says so by its reason.
    void observe(const warm_pod& pod);

private:
    std::map<std::string, std::set<std::string>> failed_;  // uids, three at most
};

enum class warm_step {
    nothing,  ///< until something is seen, or until wake_at()
    request,  ///< send one request, then answered()
    set_warm,
    set_restarted,  ///< the condition becomes False: a container runs that is not warm
    set_failed,     ///< the condition becomes False, and the pod is deleted
    set_failing,    ///< the condition becomes False, and the pod is kept
    remove,
};

/// The condition's reason, of a step that sets it.
std::string_view reason_of(warm_step step);

/// Steps are carried out again until the pod shows them, or done() says so. Times are those of the wall, for
/// `ready_since` is a time of the cluster.
class warm_up {
public:
    /// What to do now. A step that failed is given again after 1 s.
    warm_step next(const warm_pod& pod, const warm_up_spec& how, failure_ledger& ledger, kcontrol::wall_time now);
    /// The answer to a request that was sent when the pod had so many restarts; `words` are for people.
    void answered(std::int64_t restarts, bool good, std::string words, kcontrol::wall_time now);
    /// A step other than `request` was carried out, and changed `pod`, or failed.
    void done(warm_step step, bool well, warm_pod& pod, kcontrol::wall_time now);

    /// When next() has something else to say than `nothing`, although nothing is seen; of a past time: never.
    kcontrol::wall_time wake_at() const { return not_before_; }
    /// Of the condition, for people: what happened, and "(restarts: N)" at the end, which warm_pod_of() reads.
    std::string message(warm_step step, const warm_pod& pod, const warm_up_spec& how, kcontrol::wall_time now) const;

private:
    std::int64_t restarts_ = -1;
    int good_ = 0;
    std::string last_ = "none";
    kcontrol::wall_time not_before_{};
    warm_step unfinished_ = warm_step::nothing;  // it failed, or its outcome is unknown
    bool removed_ = false;
};

}  // namespace inference_autoscaler

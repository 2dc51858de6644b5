// HAMi's lock of a node: held by one pod from before its binding until HAMi's device plugin has given it its GPUs.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/runtime/time.hpp>

#include "messages.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace gpu_scheduler {

inline constexpr std::string_view lock_annotation = "hami.io/mutex.lock";
inline constexpr std::string_view bind_phase_annotation = "hami.io/bind-phase";

/// A lock that nobody released counts no more after that time: HAMi's default.
inline constexpr std::chrono::minutes lock_lifetime{5};
/// The same for a pod of this scheduler that has no node: a scheduler that ended before the binding left it.
inline constexpr std::chrono::seconds unbound_lifetime{30};

/// The value of lock_annotation: `TIME,NAMESPACE,POD`.
struct node_lock {
    kcontrol::wall_time since;
    std::string namespace_;  ///< empty in the older form, which is a time alone
    std::string pod;

    bool names_pod() const noexcept { return !pod.empty(); }
    bool is_of(const kcontrol::object_meta& of) const { return namespace_ == of.namespace_ && pod == of.name; }
    friend bool operator==(const node_lock&, const node_lock&) = default;
};

/// Errors: the value and the form that is expected.
result<node_lock> read_node_lock(std::string_view value);
std::string write_node_lock(const kcontrol::object_meta& pod, kcontrol::wall_time now);

/// What a lock of another pod means.
struct lock_verdict {
    bool is_free = false;            ///< it may be replaced
    kcontrol::wall_time look_again;  ///< else: it counts until then at most
};

/// Whether a lock of `node` still counts. `holder`: the pod that it names as it is now; null: there is none.
/// `scheduler`: the name of this one. A lock counts no more if it is old, or if its pod does not exist, has ended, is
/// on another node, or has its GPUs. A time in the future by more than lock_lifetime counts as old.
lock_verdict judge(const node_lock& held, const kcontrol::api::core::v1::pod* holder, std::string_view node,
                   std::string_view scheduler, kcontrol::wall_time now);

}  // namespace gpu_scheduler

// nominations: the places that are kept for pods which evictions are to make room for.
#pragma once

#include <kcontrol/scheduling/pod_info.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// A pod that waits, and the node where a place is kept for it (status.nominatedNodeName).
struct nomination {
    std::shared_ptr<const pod_info> pod;  ///< who waits
    std::string node;                     ///< where
    /// The place is kept from pods of this priority and below: the pod's own, or the highest of its victims.
    std::int32_t against = 0;
};

/// The nominations of a scheduler, and the pods whose eviction was sent. While filters look at a node, the pods that
/// are nominated to it count there for each pod that the place is kept from. They are not in the snapshot.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class nominations {
public:
    /// Keeps a place for the pod, in place of an earlier one.
    KCONTROL_DECL void set(nomination one);
    /// The pod is placed, is gone, or gets no place kept. False: it had none.
    KCONTROL_DECL bool remove(std::string_view namespace_, std::string_view name);
    /// The nomination of a pod, or null. Valid until the next change.
    KCONTROL_DECL const nomination* find(std::string_view namespace_, std::string_view name) const;
    /// Those of a node.
    KCONTROL_DECL const std::vector<const nomination*>& on(std::string_view node) const;

    /// The eviction of the pod was sent, and the watch has not shown its end yet; or that has come. It makes room for
    /// `preemptor`, or for no pod.
    KCONTROL_DECL void set_leaving(std::string_view uid, bool leaves,
                                   std::shared_ptr<const pod_info> preemptor = nullptr);
    /// For which pod it was sent, or null; none: it was not sent.
    KCONTROL_DECL std::optional<std::shared_ptr<const pod_info>> preemptor_of(std::string_view uid) const;
    /// Whether its eviction was sent, or it has a deletionTimestamp: it makes room, and need not be evicted again. One
    /// that was deleted, but leaves its place to the next pod of its name (scheduler_core), makes none.
    KCONTROL_DECL bool is_leaving(const pod_info& pod) const;

    bool empty() const noexcept { return by_pod_.empty(); }       ///< no place is kept
    std::size_t size() const noexcept { return by_pod_.size(); }  ///< how many places are kept

private:
    friend class cycle;
    struct text_hash : std::hash<std::string_view> {
        using is_transparent = void;
    };
    std::map<std::pair<std::string, std::string>, nomination> by_pod_;
    std::unordered_map<std::string, std::vector<const nomination*>, text_hash, std::equal_to<>> by_node_;
    // By uid: pods whose eviction was sent, and for which pod.
    std::unordered_map<std::string, std::shared_ptr<const pod_info>, text_hash, std::equal_to<>> leaving_;
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/nominations.ipp>
#endif

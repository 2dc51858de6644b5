// refusals: why no node takes a pod, counted over all nodes, and the sentence for people.
#pragma once

#include <kcontrol/scheduling/interned_name.hpp>
#include <kcontrol/scheduling/status.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// How many nodes were refused for which reasons.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class refusals {
public:
    /// A reason, and for how many nodes it was given.
    struct reason_count {
        interned_name reason;   ///< such as "Insufficient cpu"
        std::size_t nodes = 0;  ///< how many
    };

    /// Counts each reason of a status for `nodes` nodes.
    KCONTROL_DECL void add(const status& refused, std::size_t nodes = 1);
    void clear() noexcept { counts_.clear(); }  ///< for another pod
    /// In the order in which they were added.
    const std::vector<reason_count>& counts() const noexcept { return counts_; }

    /// The message of the condition PodScheduled, in kube-scheduler's words:
    /// `0/5 nodes are available: 2 Insufficient nvidia.com/gpu, 3 node(s) had untolerated taint(s).`
    /// The counts are sorted as texts. `nodes` is the number of all nodes; without any the message says so.
    KCONTROL_DECL std::string message(std::size_t nodes) const;

private:
    std::vector<reason_count> counts_;
};

/// The message where pre_filter refused the pod, so that no node was asked:
/// `0/5 nodes are available: pod has unbound immediate PersistentVolumeClaims.`
KCONTROL_DECL std::string pre_filter_message(std::size_t nodes, const status& refused);

/// What nodes are refused for that are not among those which pre_filter of these plugins named.
KCONTROL_DECL status not_named_by(std::span<const std::string_view> plugins);

/// What the pod is refused for if pre_filter of these plugins leaves no node: the sets they named have none in common.
KCONTROL_DECL status none_named_by(std::span<const std::string_view> plugins);

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/refusals.ipp>
#endif

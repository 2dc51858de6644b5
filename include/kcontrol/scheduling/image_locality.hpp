// ImageLocality: nodes that have the pod's images are better.
#pragma once

#include <kcontrol/scheduling/node_info.hpp>
#include <kcontrol/scheduling/pod_info.hpp>
#include <kcontrol/scheduling/snapshot.hpp>
#include <kcontrol/scheduling/status.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// The score is from 0 (23 MiB and less are there) to 100 (1000 MiB for each container). The size of an image counts by
/// the part of the nodes that have it, so that not all pods go to the first node.
///
/// Thread-safety: shared objects safe.
class image_locality {
public:
    static constexpr std::string_view name = "ImageLocality";

    /// The pod's images that any node has, and which part of the nodes.
    class state {
    private:
        friend class image_locality;
        struct image {
            interned_name name;
            double spread = 0;
        };
        std::vector<image> images_;
        std::int64_t most_ = 0;  // the size that gets the best score
    };

    KCONTROL_DECL status pre_score(state& of_pod, const pod_info& pod, const snapshot& nodes,
                                   std::span<const node_info* const>) const;
    KCONTROL_DECL std::int64_t score(const state& of_pod, const pod_info&, const node_info& node) const;
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/image_locality.ipp>
#endif

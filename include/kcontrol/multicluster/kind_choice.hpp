// A kind to watch in every cluster, under whichever version a cluster serves.
#pragma once

#include <kcontrol/model/resource.hpp>

#include <vector>

namespace kcontrol::inline v0_1 {

/// A kind to watch: `kind_choice(resource_of<job>())`. Where a cluster serves one of several versions, the first one
/// served counts; the others are tried again when that one vanishes. The resource_infos outlive all clusters.
class kind_choice {
public:
    /// This version alone, which is waited for where a cluster does not serve it.
    explicit kind_choice(const resource_info& only) : versions{&only} {}
    /// Where a cluster does not serve `first`, `second`.
    kind_choice(const resource_info& first, const resource_info& second) : versions{&first, &second} {}

    std::vector<const resource_info*> versions;  ///< in order of preference; not empty, none null
};

}  // namespace kcontrol

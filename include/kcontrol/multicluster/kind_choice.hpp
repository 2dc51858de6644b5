// A kind to watch in every cluster, under whichever version a cluster serves.
#pragma once

#include <kcontrol/model/resource.hpp>

#include <vector>

namespace kcontrol::inline v0_1 {

/// A kind to watch: `kind_choice(resource_of<job>())`. Where a cluster serves one of several versions, the first one
/// served counts; the others are tried again when that one vanishes. The resource_infos outlive all clusters.
class kind_choice {
public:
    explicit kind_choice(const resource_info& only) : versions{&only} {}
    kind_choice(const resource_info& first, const resource_info& second) : versions{&first, &second} {}

    std::vector<const resource_info*> versions;
};

}  // namespace kcontrol

// A kind to watch in every cluster, under whichever version a cluster serves.
#pragma once

#include <kcontrol/cluster/informer_kind.hpp>

#include <vector>

namespace kcontrol {

/// A kind to watch: `kind_choice(resource_of<job>())`. Where a cluster serves one of several versions, the first one
/// served counts; the others are tried again when that one vanishes.
class kind_choice {
public:
    explicit kind_choice(const informer_kind& only) : versions{only} {}
    kind_choice(const informer_kind& first, const informer_kind& second) : versions{first, second} {}

    std::vector<informer_kind> versions;
};

}  // namespace kcontrol

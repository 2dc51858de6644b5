// The nodes by a label, for one round.
#pragma once

#include <kcontrol/scheduling/snapshot.hpp>
#include <kcontrol/scheduling/topology.hpp>

#include <memory>

namespace kcontrol::inline v0_1::scheduling::detail {

// That of the snapshot; where it keeps none for the label, one that is made here.
class round_topology {
public:
    round_topology(const snapshot& nodes, const interned_name& key) : used_(nodes.by_label(key)) {
        if (used_ != nullptr) return;
        const auto made = std::make_shared<topology>(key);
        for (const auto* node : nodes.nodes()) made->set(*node);
        own_ = made;
        used_ = made.get();
    }

    const topology& operator*() const noexcept { return *used_; }
    const topology* operator->() const noexcept { return used_; }

private:
    std::shared_ptr<const topology> own_;
    const topology* used_;
};

}  // namespace kcontrol::scheduling::detail

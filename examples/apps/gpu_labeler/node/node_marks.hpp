// What the labeler says of its node.
#pragma once

#include "labels/gpu_labels.hpp"

namespace gpu_labeler {

/// Labels for schedulers that compare, annotations for those that read more.
struct node_marks {
    label_map labels;
    label_map annotations;

    bool empty() const noexcept { return labels.empty() && annotations.empty(); }
    bool operator==(const node_marks&) const = default;
};

}  // namespace gpu_labeler

#include "node/write_plan.hpp"

namespace gpu_labeler {
namespace {

bool same(const node_marks& there, const node_marks& wanted) {
    if (there == wanted) return true;
    const auto old_time = there.labels.find(timestamp_label);
    if (old_time == there.labels.end()) return false;
    auto kept = wanted;
    const auto new_time = kept.labels.find(timestamp_label);
    if (new_time == kept.labels.end()) return false;
    new_time->second = old_time->second;
    return there == kept;
}

}  // namespace

write_step write_plan::next(const node_marks& wanted) const {
    if (!there_) return write_step::look;
    return same(*there_, wanted) ? write_step::nothing : write_step::write;
}

}  // namespace gpu_labeler

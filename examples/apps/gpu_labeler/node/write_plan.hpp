// Whether something has to be written: nothing is, as long as what is there is what should be.
#pragma once

#include "node/node_marks.hpp"

#include <optional>

namespace gpu_labeler {

/// What to do about the marks next.
enum class write_step {
    nothing,  ///< what is there is right
    look,     ///< it is not known what is there
    write
};

/// Remembers what is there of ours, and compares. Pure: no clock, no network.
///
/// The label of the time when this program started is worth no write of its own: after a restart that changes nothing
/// else the old time stays.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class write_plan {
public:
    write_step next(const node_marks& wanted) const;

    /// So it is there: someone looked, or a write was answered.
    void found(node_marks there) { there_ = std::move(there); }

    /// Nobody knows any more what is there: the answer to a write was lost, or others had time to change it.
    void doubt() { there_.reset(); }

    /// What is there, as far as known.
    const std::optional<node_marks>& there() const noexcept { return there_; }

private:
    std::optional<node_marks> there_;
};

}  // namespace gpu_labeler

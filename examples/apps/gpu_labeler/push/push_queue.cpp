#include "push/push_queue.hpp"

#include <utility>

namespace gpu_labeler {

void push_queue::drop_oldest() {
    bytes_ -= waiting_.front().size();
    waiting_.pop_front();
    if (in_batch_ > 0) --in_batch_;  // it may arrive all the same
}

void push_queue::add(std::string lines) {
    if (lines.empty()) return;
    if (lines.size() > most_bytes_) {
        ++dropped_;
        return;
    }
    while (bytes_ + lines.size() > most_bytes_) {
        drop_oldest();
        ++dropped_;
    }
    bytes_ += lines.size();
    waiting_.push_back(std::move(lines));
}

std::string push_queue::batch() {
    std::string out;
    in_batch_ = 0;
    for (const auto& lines : waiting_) {
        if (in_batch_ > 0 && out.size() + lines.size() > most_in_a_batch_) break;
        out += lines;
        ++in_batch_;
    }
    return out;
}

void push_queue::done(bool taken) {
    while (in_batch_ > 0) {
        drop_oldest();
        ++(taken ? taken_ : dropped_);
    }
}

}  // namespace gpu_labeler

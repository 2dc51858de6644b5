// Reading the newest snapshot of a followed value, from as many threads as there are, without a lock.
#pragma once

#include <kcontrol/service/detail/published.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace kcontrol::inline v0_1::service {

/// Holds the newest snapshot that it has read, and compares one number to find out whether there is a newer one. So a
/// read without a change takes no lock and no memory. The first read after a change copies a pointer, under a lock that
/// is held for nothing else.
///
/// Each thread has a reader of its own, which costs two pointers: `thread_local auto reader = backends.reader();`
///
/// Thread-safety: distinct objects safe; shared objects unsafe. Object lifetime: may outlive what it was made by; the
/// last snapshot stays readable then.
template <class Snapshot>
class snapshot_reader {
public:
    explicit snapshot_reader(std::shared_ptr<const detail::published<Snapshot>> of)
        : of_(std::move(of)), held_(of_->get()) {}

    /// The newest snapshot; never null. The reference, and the snapshot if no other pointer holds it, is valid until
    /// the next read() of this reader: copy the pointer to keep it for longer.
    const std::shared_ptr<const Snapshot>& read() {
        if (of_->version() != held_->version) held_ = of_->get();
        return held_;
    }

private:
    std::shared_ptr<const detail::published<Snapshot>> of_;
    std::shared_ptr<const Snapshot> held_;
};

}  // namespace kcontrol::service

// Where the newest snapshot of a value stands, for readers on any thread.
#pragma once

#include <kcontrol/config.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace kcontrol::inline v0_1::service::detail {

/// `Snapshot` has a member `version`, which differs from one to the next.
///
/// Thread-safety: shared objects safe; one thread at a time may set().
template <class Snapshot>
class published {
public:
    explicit published(std::shared_ptr<const Snapshot> first)
        : snapshot_(std::move(first)), version_(snapshot_->version) {}

    /// The version of the newest: whoever finds it here gets that one, or a newer one, from get().
    std::uint64_t version() const noexcept { return version_.load(std::memory_order_acquire); }

    std::shared_ptr<const Snapshot> get() const {
        const std::lock_guard lock(mutex_);
        return snapshot_;
    }

    void set(std::shared_ptr<const Snapshot> next) {
        const std::uint64_t version = next->version;
        {
            const std::lock_guard lock(mutex_);
            snapshot_.swap(next);  // the one before is destroyed after the lock
        }
        version_.store(version, std::memory_order_release);
    }

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const Snapshot> snapshot_;
    // On a cache line that readers share until something changes.
    alignas(64) std::atomic<std::uint64_t> version_;
};

}  // namespace kcontrol::service::detail

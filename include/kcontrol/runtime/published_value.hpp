// The newest version of a value, for readers on any thread.
#pragma once

#include <kcontrol/config.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Holds an immutable value that is replaced as a whole, with its version. Versions are numbers that differ from one
/// value to the next.
///
/// Thread-safety: shared objects safe; one thread at a time may set().
template <class V>
class published_value {
public:
    explicit published_value(std::shared_ptr<const V> first = {}, std::uint64_t version = 0)
        : value_(std::move(first)), held_version_(version), version_(version) {}

    /// The version of the newest: the caller gets that one, or a newer one, from get().
    std::uint64_t version() const noexcept { return version_.load(std::memory_order_acquire); }

    /// The newest; null if that was given, as before the first set(). Takes a lock that is held for this copy of a
    /// pointer only.
    std::shared_ptr<const V> get() const {
        const std::lock_guard lock(mutex_);
        return value_;
    }
    /// The same; `version` becomes that of what it returns.
    std::shared_ptr<const V> get(std::uint64_t& version) const {
        const std::lock_guard lock(mutex_);
        version = held_version_;
        return value_;
    }

    void set(std::shared_ptr<const V> next, std::uint64_t version) {
        {
            const std::lock_guard lock(mutex_);
            value_.swap(next);  // the one before is destroyed after the lock
            held_version_ = version;
        }
        version_.store(version, std::memory_order_release);
    }

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const V> value_;
    std::uint64_t held_version_;
    // On a cache line that readers share until something changes.
    alignas(64) std::atomic<std::uint64_t> version_;
};

/// A thread's own way to the newest value: it holds what it has read, and compares one number to find out whether there
/// is a newer one. So a read without a change takes no lock and no memory.
///
/// Thread-safety: distinct objects safe; shared objects unsafe. Object lifetime: may outlive what it was made by; the
/// last value stays readable then.
template <class V>
class published_reader {
public:
    explicit published_reader(std::shared_ptr<const published_value<V>> of)
        : of_(std::move(of)), held_(of_->get(version_)) {}

    /// The newest value; null as long as there is none. The reference, and the value if no other pointer holds it, is
    /// valid until the next read() of this reader: copy the pointer to keep it for longer.
    const std::shared_ptr<const V>& read() {
        if (of_->version() != version_) held_ = of_->get(version_);
        return held_;
    }
    /// That of the value that was read last; 0: there was none.
    std::uint64_t version() const noexcept { return version_; }

private:
    std::shared_ptr<const published_value<V>> of_;
    std::uint64_t version_ = 0;
    std::shared_ptr<const V> held_;
};

}  // namespace kcontrol

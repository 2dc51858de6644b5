#pragma once

#include <kcontrol/runtime/scope.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL scope::scope(std::stop_token parent, std::uint64_t first_generation)
    : parent_(std::move(parent)), generation_(first_generation) {
    auto source = source_;
    from_parent_.emplace(parent_, [source]() mutable { source.request_stop(); });
}

KCONTROL_DECL scope::~scope() { stop(); }

KCONTROL_DECL std::stop_token scope::token() const {
    const std::lock_guard lock(mutex_);
    return source_.get_token();
}

KCONTROL_DECL std::uint64_t scope::generation() const {
    const std::lock_guard lock(mutex_);
    return generation_;
}

KCONTROL_DECL bool scope::stopped() const {
    const std::lock_guard lock(mutex_);
    return source_.stop_requested();
}

KCONTROL_DECL void scope::stop() {
    std::stop_source ending = [this] {
        const std::lock_guard lock(mutex_);
        return source_;
    }();
    ending.request_stop();  // outside the lock: callbacks may call this scope
}

KCONTROL_DECL std::stop_token scope::rebuild() {
    stop();
    std::stop_source next;
    {
        const std::lock_guard lock(mutex_);
        source_ = next;
        ++generation_;
    }
    // Outside the lock: releasing the old link waits for a callback that is running.
    from_parent_.reset();
    from_parent_.emplace(parent_, [next]() mutable { next.request_stop(); });
    return next.get_token();
}

}  // namespace kcontrol

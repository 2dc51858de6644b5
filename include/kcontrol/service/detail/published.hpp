// Where the newest snapshot of a followed value stands, for readers on any thread.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/runtime/published_value.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace kcontrol::inline v0_1::service::detail {

/// `Snapshot` has a member `version`, which differs from one to the next.
///
/// Thread-safety: shared objects safe; one thread at a time may set().
template <class Snapshot>
class published {
public:
    explicit published(std::shared_ptr<const Snapshot> first) : value_(first, first->version) {}

    /// The version of the newest: whoever finds it here gets that one, or a newer one, from get().
    std::uint64_t version() const noexcept { return value_.version(); }
    std::shared_ptr<const Snapshot> get() const { return value_.get(); }
    void set(std::shared_ptr<const Snapshot> next) {
        const std::uint64_t version = next->version;
        value_.set(std::move(next), version);
    }

private:
    published_value<Snapshot> value_;
};

}  // namespace kcontrol::service::detail

// The writes of one task that informers have yet to see.
#pragma once

#include <kcontrol/cache/informer.hpp>
#include <kcontrol/client/client_cache.hpp>
#include <kcontrol/cluster/detail/pending_writes.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// Waits until the informer shows the write. Errors: timeout, stopped.
KCONTROL_DECL awaitable<result<void>> see_write(std::shared_ptr<any_informer> from, own_write write,
                                                std::stop_token stop, time_point deadline);

/// Of each object the last write counts.
class followed_writes final : public own_writes {
public:
    explicit followed_writes(executor by) : by_(std::move(by)) {}

    /// What the task's coroutines run on.
    const executor& by() const noexcept { return by_; }

    KCONTROL_DECL void add(const std::shared_ptr<any_informer>& to_see, own_write what);

    std::size_t pending() const override { return pending_.size(); }
    KCONTROL_DECL awaitable<result<void>> seen(std::stop_token stop, time_point deadline) override;

private:
    struct write {
        std::weak_ptr<any_informer> to_see;
        own_write what;
    };

    executor by_;
    std::vector<write> pending_;
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cluster/impl/followed_writes.ipp>
#endif

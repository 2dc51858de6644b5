#pragma once

#include <kcontrol/cluster/detail/followed_writes.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::detail {

KCONTROL_DECL awaitable<result<void>> see_write(std::shared_ptr<any_informer> from, own_write write,
                                                std::stop_token stop, time_point deadline) {
    // The version of a write that the informer does not select may never come, but the end of the object does.
    const bool ends = write.left && write.seen;
    object_meta last = write.of;
    if (ends || write.change == own_change::removed) last.deletion_timestamp = wall_time();
    if (!ends) {
        auto seen = co_await from->at_least(write.of, stop, deadline);
        if (!seen || write.change == own_change::stored) co_return seen;
    }
    auto seen = co_await from->deletion_seen(last, stop, deadline);
    co_return seen;
}

KCONTROL_DECL void followed_writes::add(const std::shared_ptr<any_informer>& to_see, own_write what) {
    const auto same = std::find_if(pending_.begin(), pending_.end(), [&](const write& one) {
        return one.to_see.lock() == to_see && key_of(one.what.of) == key_of(what.of);
    });
    write& entry = same != pending_.end() ? *same : pending_.emplace_back();
    entry.to_see = to_see;
    entry.what = std::move(what);
}

KCONTROL_DECL awaitable<result<void>> followed_writes::seen(std::stop_token stop, time_point deadline) {
    const auto all = std::exchange(pending_, {});
    for (const write& one : all) {
        const auto from = one.to_see.lock();
        if (!from) continue;  // nobody reads it any more
        auto known = co_await see_write(from, one.what, stop, deadline);
        if (!known) co_return known.error();
    }
    co_return result<void>();
}

}  // namespace kcontrol::detail

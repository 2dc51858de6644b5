#pragma once

#include <kcontrol/cluster/detail/followed_writes.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::detail {

KCONTROL_DECL void followed_writes::add(const std::shared_ptr<any_informer>& to_see, const object_meta& of,
                                        bool deleted) {
    const auto same = std::find_if(pending_.begin(), pending_.end(), [&](const write& one) {
        return one.to_see.lock() == to_see && key_of(one.of) == key_of(of);
    });
    write& entry = same != pending_.end() ? *same : pending_.emplace_back();
    entry.to_see = to_see;
    entry.of = object_meta();
    entry.of.namespace_ = of.namespace_;
    entry.of.name = of.name;
    entry.of.uid = of.uid;
    entry.of.resource_version = of.resource_version;
    entry.deleted = deleted;
}

KCONTROL_DECL void followed_writes::wrote(const std::shared_ptr<any_informer>& to_see, const object_meta& stored) {
    add(to_see, stored, false);
}

KCONTROL_DECL void followed_writes::deleted(const std::shared_ptr<any_informer>& to_see, const object_meta& last) {
    add(to_see, last, true);
}

KCONTROL_DECL awaitable<result<void>> followed_writes::seen(std::stop_token stop, time_point deadline) {
    const auto all = std::exchange(pending_, {});
    for (const write& one : all) {
        const auto from = one.to_see.lock();
        if (!from) continue;  // nobody reads it any more
        result<void> known;
        if (one.deleted) {
            known = co_await from->deletion_seen(one.of, stop, deadline);
        } else {
            known = co_await from->at_least(one.of, stop, deadline);
        }
        if (!known) co_return known.error();
    }
    co_return result<void>();
}

}  // namespace kcontrol::detail

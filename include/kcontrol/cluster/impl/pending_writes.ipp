#pragma once

#include <kcontrol/cluster/detail/pending_writes.hpp>
#include <kcontrol/model/resource_version.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::detail {

inline bool has_reached(std::string_view known, std::string_view wanted) {
    const auto order = compare_resource_version(known, wanted);
    return order && *order >= 0;
}

// Whether the cache is at least as new as the write.
inline bool is_shown(const own_write& write, const cache_view& cache) {
    const std::string_view version = write.of.resource_version;
    const any_object present = cache.get(key_of(write.of));
    bool reached =
        has_reached(cache.passed, version) || (present && has_reached(present.meta().resource_version, version));
    if (!write.deleted) return reached;
    // Of versions without an order no later one says so.
    if (!present && !compare_resource_version(version, "1")) reached = true;
    if (!present || !reached) return reached;
    return present.meta().uid != write.of.uid || present.meta().deletion_timestamp.present();
}

KCONTROL_DECL own_write::own_write(const object_meta& meta, bool was_deleted, time_point at)
    : deleted(was_deleted), since(at) {
    of.namespace_ = meta.namespace_;
    of.name = meta.name;
    of.uid = meta.uid;
    of.resource_version = meta.resource_version;
}

KCONTROL_DECL void pending_writes::wrote(const object_meta& stored, const cache_view& cache, time_point now) {
    // Answers may come in another order than the writes were done in.
    const auto present = writes_.find(key_of(stored));
    if (present != writes_.end() && !present->second.deleted &&
        has_reached(present->second.of.resource_version, stored.resource_version)) {
        return;
    }
    keep(own_write(stored, false, now), cache, now);
}

KCONTROL_DECL void pending_writes::deleted(const namespaced_name& key, const cache_view& cache, time_point now) {
    const auto written = writes_.find(key);
    if (written != writes_.end() && !is_shown(written->second, cache)) {
        keep(own_write(written->second.of, true, now), cache, now);
    } else if (const any_object present = cache.get(key)) {
        keep(own_write(present.meta(), true, now), cache, now);
    }
}

KCONTROL_DECL void pending_writes::keep(own_write made, const cache_view& cache, time_point now) {
    settle(cache, now);
    const namespaced_name key = key_of(made.of);
    writes_.erase(key);
    if (is_shown(made, cache)) return;
    if (writes_.size() >= most) {
        const auto oldest = std::min_element(writes_.begin(), writes_.end(), [](const auto& a, const auto& b) {
            return a.second.since < b.second.since;
        });
        dropped_ = oldest->second.since;
        writes_.erase(oldest);
    }
    writes_.emplace(key, std::move(made));
}

KCONTROL_DECL void pending_writes::shown(const own_write& write) {
    const auto found = writes_.find(key_of(write.of));
    if (found == writes_.end()) return;
    const own_write& last = found->second;
    const bool same = last.deleted == write.deleted && last.of.uid == write.of.uid &&
                      last.of.resource_version == write.of.resource_version;
    if (same) writes_.erase(found);
}

KCONTROL_DECL void pending_writes::settle(const cache_view& cache, time_point now) {
    if (dropped_ && is_forgotten(*dropped_, now)) dropped_.reset();
    if (!cache.passed.empty() && cache.passed == settled_) return;  // nothing has come since
    settled_ = cache.passed;
    std::erase_if(writes_,
                  [&](const auto& one) { return is_forgotten(one.second.since, now) || is_shown(one.second, cache); });
}

KCONTROL_DECL own_writes_plan pending_writes::plan(const namespaced_name& wanted, const cache_view& cache,
                                                   time_point now) {
    settle(cache, now);
    own_writes_plan out;
    bool late = dropped_.has_value();
    const auto look_at = [&](const own_write& one) {
        if (is_forgotten(one.since, now) || is_shown(one, cache)) return;
        late = late || now >= deadline_of(one);
        out.awaited.push_back(one);
    };
    if (!wanted.name.empty()) {
        const auto found = writes_.find(wanted);
        if (found != writes_.end()) look_at(found->second);
    } else {
        for (const auto& [key, one] : writes_) {
            if (wanted.namespace_.empty() || key.namespace_ == wanted.namespace_) look_at(one);
        }
        std::stable_sort(out.awaited.begin(), out.awaited.end(),
                         [](const own_write& a, const own_write& b) { return a.since > b.since; });
    }
    if (late) {
        out.next = own_writes_plan::step::ask_server;
    } else if (!out.awaited.empty()) {
        out.next = own_writes_plan::step::wait;
    }
    return out;
}

}  // namespace kcontrol::detail

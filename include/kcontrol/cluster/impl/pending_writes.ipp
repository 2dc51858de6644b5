#pragma once

#include <kcontrol/cluster/detail/pending_writes.hpp>
#include <kcontrol/model/resource_version.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace kcontrol::inline v0_1::detail {

inline bool has_reached(std::string_view known, std::string_view wanted) {
    const auto order = compare_resource_version(known, wanted);
    return order && *order >= 0;
}

inline bool has_order(std::string_view version) { return compare_resource_version(version, "1").has_value(); }

// Whether the cache is at least as new as the write. What the watch has passed is asked first: it costs no look-up.
inline bool is_shown(const own_write& write, const cache_view& cache) {
    const std::string_view version = write.of.resource_version;
    const bool passed = has_reached(cache.passed, version);
    if (passed && write.change == own_change::stored) return true;
    if (has_reached(cache.passed, write.by)) return true;
    const any_object present = cache.get(key_of(write.of));
    const bool is_it = present && present.meta().uid == write.of.uid;
    const bool by_absence = write.left || write.change != own_change::stored || !has_order(version);
    if (write.seen && !is_it && by_absence) return true;
    const bool reached = passed || (present && has_reached(present.meta().resource_version, version));
    if (write.change == own_change::stored) return reached;
    // Of versions without an order no later one says so.
    if (!present) return reached || (!version.empty() && !has_order(version));
    if (!reached) return false;
    return !is_it || (write.change == own_change::deleted && present.meta().deletion_timestamp.present());
}

KCONTROL_DECL bool is_removed(const object_meta& answer) {
    return answer.deletion_timestamp.present() && answer.finalizers.empty() &&
           answer.deletion_grace_period_seconds.value_or(0) == 0;
}

KCONTROL_DECL own_write::own_write(const object_meta& meta, own_change what, time_point at) : change(what), since(at) {
    of.namespace_ = meta.namespace_;
    of.name = meta.name;
    of.uid = meta.uid;
    of.resource_version = meta.resource_version;
}

KCONTROL_DECL void pending_writes::wrote(const object_meta& stored, selection selected, const cache_view& cache,
                                         time_point now) {
    settle(cache, now);
    const namespaced_name key = key_of(stored);
    own_write* const before = look_at(writes_.find(key), cache, now);
    const any_object present = before == nullptr ? cache.get(key) : any_object();
    if (selected != selection::yes && before == nullptr && !present) return;
    if (selected == selection::no && (present ? present.meta().uid : before->of.uid) != stored.uid) {
        // Of the object itself nothing is to be seen, but that the one before it has gone.
        const bool is_older = present && !has_reached(present.meta().resource_version, stored.resource_version);
        if (is_older) keep(own_write(present.meta(), own_change::removed, now), cache, now);
        return;
    }
    own_write made(stored, is_removed(stored) ? own_change::removed : own_change::stored, now);
    made.left = selected == selection::no;
    if (before != nullptr) {
        const bool same = before->of.uid == stored.uid;
        const bool removed = made.change == own_change::removed;
        // Answers may come in another order than the writes were done in.
        if (has_reached(before->of.resource_version, stored.resource_version)) {
            if (!same || !removed) return;
            made.of.resource_version = before->of.resource_version;
        }
        const bool ended = before->change == own_change::removed ||
                           (before->change == own_change::deleted && !stored.deletion_timestamp.present());
        if (same && !removed && ended) {  // what was written before it was deleted
            if (has_order(stored.resource_version)) before->of.resource_version = stored.resource_version;
            return;
        }
        if (same && !removed && made.left && before->left) return;
    }
    keep(std::move(made), cache, now);
}

KCONTROL_DECL void pending_writes::deleted(const object_meta& what, const cache_view& cache, time_point now) {
    settle(cache, now);
    const own_change change = is_removed(what) ? own_change::removed : own_change::deleted;
    const own_write* const before = look_at(writes_.find(key_of(what)), cache, now);
    object_meta last = before != nullptr ? before->of : object_meta();
    if (before == nullptr) {
        const any_object present = cache.get(key_of(what));
        if (!present) return;
        last = present.meta();
    }
    if (!what.uid.empty() && what.uid != last.uid) {
        // Another one than is known here, of which no version is known unless the answer has it.
        last = what;
    } else if (has_reached(what.resource_version, last.resource_version)) {
        last.resource_version = what.resource_version;
    }
    const bool repeated = before != nullptr && before->of.uid == last.uid &&
                          (before->change == change || before->change == own_change::removed);
    if (!repeated) keep(own_write(last, change, now), cache, now);
}

// Whether the cache has had the very object as the writes before this one left it.
inline void look_for(own_write& write, const cache_view& cache) {
    if (write.seen) return;
    const any_object present = cache.get(key_of(write.of));
    if (!present || present.meta().uid != write.of.uid) return;
    write.seen = write.after.empty() || has_reached(cache.passed, write.after) ||
                 has_reached(present.meta().resource_version, write.after);
}

KCONTROL_DECL void pending_writes::keep(own_write made, const cache_view& cache, time_point now) {
    const namespaced_name key = key_of(made.of);
    if (const own_write* before = find(key)) {
        if (!has_reached(cache.passed, before->overdue)) made.overdue = before->overdue;
        if (made.overdue.empty() && now >= deadline_of(*before)) made.overdue = before->of.resource_version.str();
        if (before->of.uid == made.of.uid) {
            const bool is_to_come = before->change == own_change::stored && !before->left;
            made.after = is_to_come ? before->of.resource_version.str() : before->after;
            made.seen = !is_to_come && before->seen;
        }
        writes_.erase(key);
    }
    look_for(made, cache);
    if (is_shown(made, cache)) return;
    if (writes_.size() >= most) {
        const auto oldest = std::min_element(writes_.begin(), writes_.end(), [](const auto& a, const auto& b) {
            return a.second.since < b.second.since;
        });
        drop(oldest->second);
        writes_.erase(oldest);
    }
    writes_.emplace(key, std::move(made));
}

// The version of a deletion is not known, but that of a list that follows.
KCONTROL_DECL void pending_writes::drop(const own_write& write) {
    const bool is_known = write.change == own_change::stored && has_order(write.of.resource_version);
    std::string by = is_known ? write.of.resource_version.str() : write.by;
    if (dropped_ && (dropped_->by.empty() || has_reached(dropped_->by, by))) by = dropped_->by;
    dropped_ = dropped{write.since, std::move(by)};
}

KCONTROL_DECL void pending_writes::lost(time_point now) { dropped_ = dropped{now, {}}; }

KCONTROL_DECL void pending_writes::shown(const own_write& write) {
    const own_write* const last = find(key_of(write.of));
    if (last == nullptr) return;
    const bool same = last->change == write.change && last->of.uid == write.of.uid &&
                      last->of.resource_version == write.of.resource_version;
    if (same) writes_.erase(key_of(write.of));
}

KCONTROL_DECL void pending_writes::answered(const namespaced_name& key, const object_meta* present, time_point began) {
    const auto found = writes_.find(key);
    if (found == writes_.end() || found->second.since >= began) return;
    // Versions that have an order say more than this.
    own_write& last = found->second;
    const std::string_view version =
        present != nullptr ? present->resource_version.view() : last.of.resource_version.view();
    if (version.empty() || (has_order(version) && has_order(last.of.resource_version))) return;
    if (present != nullptr) {
        own_write next(*present, own_change::stored, last.since);
        next.overdue = last.overdue;
        next.seen = last.seen && last.of.uid == next.of.uid;
        last = std::move(next);
    } else {
        last.change = own_change::removed;
    }
}

KCONTROL_DECL void pending_writes::listed(const std::string& version, time_point began) {
    for (auto& [key, one] : writes_) {
        if (one.since < began && one.by.empty()) one.by = version;
    }
    if (dropped_ && dropped_->since < began && dropped_->by.empty()) dropped_->by = version;
}

KCONTROL_DECL void pending_writes::settle(const cache_view& cache, time_point now) {
    if (dropped_ && (is_forgotten(dropped_->since, now) || has_reached(cache.passed, dropped_->by))) dropped_.reset();
    if (!cache.passed.empty() && cache.passed == settled_) return;  // nothing has come since
    settled_ = cache.passed;
    std::erase_if(writes_, [&](const auto& one) {
        if (is_forgotten(one.second.since, now)) return true;
        return has_reached(cache.passed, one.second.of.resource_version) && is_shown(one.second, cache);
    });
}

// The last write of an object that the cache has yet to show.
KCONTROL_DECL own_write* pending_writes::look_at(by_object::iterator found, const cache_view& cache, time_point now) {
    if (found == writes_.end()) return nullptr;
    if (!is_forgotten(found->second.since, now) && !is_shown(found->second, cache)) return &found->second;
    writes_.erase(found);
    return nullptr;
}

KCONTROL_DECL own_writes_plan pending_writes::plan(const namespaced_name& wanted, const cache_view& cache,
                                                   time_point now) {
    settle(cache, now);
    own_writes_plan out;
    bool late = dropped_.has_value();
    const auto add = [&](own_write& one) {
        look_for(one, cache);
        const bool overdue = !one.overdue.empty() && !has_reached(cache.passed, one.overdue);
        // What has no version can't be waited for.
        late = late || overdue || one.of.resource_version.empty() || now >= deadline_of(one);
        out.awaited.push_back(one);
    };
    if (!wanted.name.empty()) {
        if (own_write* const one = look_at(writes_.find(wanted), cache, now)) add(*one);
    } else {
        for (auto at = writes_.begin(); at != writes_.end();) {
            const auto next = std::next(at);
            const bool meant = wanted.namespace_.empty() || at->first.namespace_ == wanted.namespace_;
            if (own_write* const one = meant ? look_at(at, cache, now) : nullptr) add(*one);
            at = next;
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

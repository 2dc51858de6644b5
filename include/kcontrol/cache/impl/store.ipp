#pragma once

#include <kcontrol/cache/store.hpp>
#include <kcontrol/model/resource_version.hpp>

#include <algorithm>
#include <mutex>
#include <utility>

namespace kcontrol {
namespace detail {

inline bool is_older(const object_meta& next, const object_meta& present) {
    const auto order = compare_resource_version(next.resource_version, present.resource_version);
    return next.uid == present.uid && order && *order < 0;
}

inline bool is_other_uid(const object_meta& a, const object_meta& b) {
    return !a.uid.empty() && !b.uid.empty() && a.uid != b.uid;
}

inline bool same_version(const object_meta& a, const object_meta& b) {
    // Objects without a version (hand-made ones) can't be compared, so every write counts.
    return !a.resource_version.empty() && a.uid == b.uid && a.resource_version == b.resource_version;
}

inline bool is_same_news(const invalid_object& a, const invalid_object& b) {
    return a.metadata.uid == b.metadata.uid && a.metadata.resource_version == b.metadata.resource_version &&
           a.why.what() == b.why.what();
}

inline any_event deletion(any_object last, bool final_state_unknown) {
    any_event e(event_type::deleted, std::move(last), {});
    e.final_state_unknown = final_state_unknown;
    return e;
}

// The events of replacing `present` by `next`, which differs: an update, or a deletion and an addition.
inline void append_change(const any_object& present, const any_object& next, bool initial,
                          std::vector<any_event>& out) {
    if (present.meta().uid == next.meta().uid) {
        out.emplace_back(event_type::updated, present, next);
        return;
    }
    out.push_back(deletion(present, true));
    any_event added(event_type::added, {}, next);
    added.initial = initial;
    out.push_back(std::move(added));
}

}  // namespace detail

KCONTROL_DECL any_object store::get(const namespaced_name& key) const {
    const std::shared_lock lock(mutex_);
    const auto found = objects_.find(key);
    return found == objects_.end() ? any_object() : found->second;
}

KCONTROL_DECL std::vector<any_object> store::list(std::string_view ns) const {
    const std::shared_lock lock(mutex_);
    std::vector<any_object> out;
    if (ns.empty()) {
        out.reserve(objects_.size());
        for (const auto& [key, object] : objects_) out.push_back(object);
        return out;
    }
    // Keys sort by namespace first, so one namespace is one run of the map.
    for (auto i = objects_.lower_bound({std::string(ns), {}}); i != objects_.end() && i->first.namespace_ == ns; ++i) {
        out.push_back(i->second);
    }
    return out;
}

KCONTROL_DECL std::size_t store::size() const {
    const std::shared_lock lock(mutex_);
    return objects_.size();
}

KCONTROL_DECL std::vector<std::shared_ptr<const invalid_object>> store::invalid() const {
    const std::shared_lock lock(mutex_);
    std::vector<std::shared_ptr<const invalid_object>> out;
    out.reserve(invalid_.size());
    for (const auto& [key, object] : invalid_) out.push_back(object);
    return out;
}

KCONTROL_DECL std::size_t store::invalid_count() const {
    const std::shared_lock lock(mutex_);
    return invalid_.size();
}

KCONTROL_DECL store_change store::apply(any_object object) {
    store_change change;
    change.events.reserve(2);
    auto key = object.key();
    const std::unique_lock lock(mutex_);
    const auto present = objects_.find(key);
    if (present == objects_.end()) {
        change.events.emplace_back(event_type::added, any_object(), object);
        objects_.emplace(key, std::move(object));
    } else {
        const object_meta& known = present->second.meta();
        const bool comparable = foreign_.erase(key) == 0;
        if (comparable && detail::is_older(object.meta(), known)) return change;
        if (!detail::same_version(known, object.meta())) {
            detail::append_change(present->second, object, false, change.events);
            present->second = std::move(object);
        }
    }
    invalid_.erase(key);
    return change;
}

KCONTROL_DECL store_change store::remove(any_object last) {
    store_change change;
    change.events.reserve(1);
    const auto key = last.key();
    const std::unique_lock lock(mutex_);
    invalid_.erase(key);
    const auto found = objects_.find(key);
    if (found == objects_.end()) return change;
    // Another uid: what we hold is an earlier object under this key, whose own deletion went unseen.
    const bool other = found->second.meta().uid != last.meta().uid;
    change.events.push_back(detail::deletion(other ? found->second : std::move(last), other));
    objects_.erase(found);
    return change;
}

KCONTROL_DECL store_change store::mark_invalid(invalid_object object) {
    store_change change;
    change.events.reserve(1);
    const auto next = std::make_shared<const invalid_object>(std::move(object));
    change.invalid.push_back(next);
    if (!next->has_name()) return change;
    const auto key = next->key();
    const std::unique_lock lock(mutex_);
    auto& marked = invalid_[key];
    if (marked != nullptr && detail::is_same_news(*marked, *next)) change.invalid.clear();
    marked = next;
    const auto known = objects_.find(key);
    if (known != objects_.end() && detail::is_other_uid(known->second.meta(), next->metadata)) {
        change.events.push_back(detail::deletion(std::move(known->second), true));
        objects_.erase(known);
    }
    return change;
}

KCONTROL_DECL store_change store::remove_invalid(const invalid_object& last) {
    store_change change;
    change.events.reserve(1);
    const auto& uid = last.metadata.uid;
    const std::unique_lock lock(mutex_);
    // Of a name that can't be read the uid is left.
    const auto has_uid = [&](const object_meta& known) { return !uid.empty() && known.uid == uid; };
    auto known = objects_.find(last.key());
    if (known == objects_.end()) {
        known = std::find_if(objects_.begin(), objects_.end(), [&](const auto& e) { return has_uid(e.second.meta()); });
    }
    std::erase_if(invalid_, [&](const auto& e) { return e.first == last.key() || has_uid(e.second->metadata); });
    if (known == objects_.end()) return change;
    change.events.push_back(detail::deletion(std::move(known->second), true));
    objects_.erase(known);
    return change;
}

KCONTROL_DECL store_change store::replace(store_content all, bool initial) {
    std::map<namespaced_name, any_object> next;
    for (auto& object : all.objects) {
        auto key = object.key();
        next.insert_or_assign(std::move(key), std::move(object));
    }
    store_change change;
    invalid_map marks;
    for (auto& object : all.invalid) {
        auto mark = std::make_shared<const invalid_object>(std::move(object));
        if (!mark->has_name()) {
            change.invalid.push_back(std::move(mark));
        } else if (!next.contains(mark->key())) {
            marks.insert_or_assign(mark->key(), std::move(mark));
        }
    }
    auto& events = change.events;
    std::set<namespaced_name> foreign;
    std::map<namespaced_name, any_object> old;  // freed outside the lock
    {
        const std::unique_lock lock(mutex_);
        for (const auto& [key, mark] : marks) {
            const auto before = invalid_.find(key);
            const bool known = before != invalid_.end() && detail::is_same_news(*before->second, *mark);
            if (!known) change.invalid.push_back(mark);
            // It is there, and can't be read: what was known of it stays.
            const auto present = objects_.find(key);
            if (present != objects_.end() && !detail::is_other_uid(present->second.meta(), mark->metadata)) {
                next.emplace(key, present->second);
                if (all.same != nullptr || foreign_.contains(key)) foreign.insert(key);
            }
        }
        for (const auto& [key, object] : objects_) {
            if (!next.contains(key)) events.push_back(detail::deletion(object, true));
        }
        for (auto& [key, object] : next) {
            const auto present = objects_.find(key);
            if (present == objects_.end()) {
                any_event added(event_type::added, {}, object);
                added.initial = initial;
                events.push_back(std::move(added));
                continue;
            }
            const bool same = present->second == object ||  // kept above
                              (detail::same_version(present->second.meta(), object.meta()) &&
                               (all.same == nullptr || all.same(present->second, object)));
            if (!same) detail::append_change(present->second, object, initial, events);
            // Unchanged: keep the copy that readers share already.
            if (same) object = present->second;
        }
        old.swap(objects_);
        objects_.swap(next);
        invalid_.swap(marks);
        foreign_.swap(foreign);
    }
    return change;
}

}  // namespace kcontrol

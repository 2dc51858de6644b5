#pragma once

#include <kcontrol/cache/store.hpp>

#include <mutex>
#include <utility>

namespace kcontrol {
namespace detail {

inline bool same_version(const object_meta& a, const object_meta& b) {
    // Objects without a version (hand-made ones) can't be compared, so every write counts.
    return !a.resource_version.empty() && a.uid == b.uid && a.resource_version == b.resource_version;
}

inline any_event deletion(any_object last, bool final_state_unknown) {
    any_event e(event_type::deleted, std::move(last), {});
    e.final_state_unknown = final_state_unknown;
    return e;
}

// The events of replacing `present` by `next`: none, an update, or a deletion and an addition.
inline void append_change(const any_object& present, const any_object& next, bool initial,
                          std::vector<any_event>& out) {
    if (same_version(present.meta(), next.meta())) return;
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

KCONTROL_DECL std::vector<any_event> store::apply(any_object object) {
    std::vector<any_event> events;
    const std::unique_lock lock(mutex_);
    const auto [place, fresh] = objects_.try_emplace(object.key(), object);
    if (fresh) {
        events.emplace_back(event_type::added, any_object(), std::move(object));
        return events;
    }
    detail::append_change(place->second, object, false, events);
    if (!events.empty()) place->second = std::move(object);
    return events;
}

KCONTROL_DECL std::vector<any_event> store::remove(any_object last) {
    std::vector<any_event> events;
    const std::unique_lock lock(mutex_);
    const auto found = objects_.find(last.key());
    if (found == objects_.end()) return events;
    // Another uid: what we hold is an earlier object under this key, whose own deletion went unseen.
    const bool other = found->second.meta().uid != last.meta().uid;
    events.push_back(detail::deletion(other ? found->second : std::move(last), other));
    objects_.erase(found);
    return events;
}

KCONTROL_DECL std::vector<any_event> store::replace(std::vector<any_object> objects, bool initial) {
    std::map<namespaced_name, any_object> next;
    for (auto& object : objects) {
        auto key = object.key();
        next.insert_or_assign(std::move(key), std::move(object));
    }
    std::vector<any_event> events;
    std::map<namespaced_name, any_object> old;  // freed outside the lock
    {
        const std::unique_lock lock(mutex_);
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
            const auto before = events.size();
            detail::append_change(present->second, object, initial, events);
            // Unchanged: keep the copy that readers share already.
            if (events.size() == before) object = present->second;
        }
        old.swap(objects_);
        objects_.swap(next);
    }
    return events;
}

}  // namespace kcontrol

#pragma once

#include <kcontrol/cache/detail/index_hold.hpp>
#include <kcontrol/cache/detail/store_writer.hpp>
#include <kcontrol/cache/impl/snapshot.ipp>
#include <kcontrol/cache/store.hpp>
#include <kcontrol/model/resource_version.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

namespace kcontrol::inline v0_1 {
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

// The objects that can't be read.
struct store_trouble {
    using invalid_map = std::map<namespaced_name, std::shared_ptr<const invalid_object>>;

    bool has_any() const noexcept { return !invalid.empty() || !foreign.empty(); }
    // An object under this key can be read, or has gone.
    void forget(const namespaced_name& key) {
        const std::scoped_lock lock(mutex);
        invalid.erase(key);
        count.store(invalid.size(), std::memory_order_relaxed);
    }
    // Returns what was there: null for a key that was not.
    std::shared_ptr<const invalid_object> mark(const namespaced_name& key, std::shared_ptr<const invalid_object> next) {
        const std::scoped_lock lock(mutex);
        if (next == nullptr) {
            invalid.erase(key);
        } else {
            invalid[key].swap(next);
        }
        count.store(invalid.size(), std::memory_order_relaxed);
        return next;
    }
    template <class Match>
    void erase_if(Match&& match) {
        const std::scoped_lock lock(mutex);
        std::erase_if(invalid, match);
        count.store(invalid.size(), std::memory_order_relaxed);
    }
    void swap(invalid_map& other) {
        const std::scoped_lock lock(mutex);
        invalid.swap(other);
        count.store(invalid.size(), std::memory_order_relaxed);
    }

    std::mutex mutex;
    invalid_map invalid;  // the writer reads it without the mutex
    std::atomic<std::size_t> count{0};
    std::set<namespaced_name>
        foreign;  // objects whose version is of another history: any other may follow; the writer's
};

KCONTROL_DECL index_hold::~index_hold() {
    const auto of = writer.lock();
    if (of == nullptr) return;
    try {
        of->remove_index(id);
    } catch (const std::bad_alloc&) {
        // It stays, is kept up to date and has its name.
    }
}

// A key beside the others, so that to compare two is no search for the bytes of two objects.
struct sort_key {
    sort_key(const object_meta& meta, std::uint32_t place) : key(key_view_of(meta)), at(place) {
        for (std::size_t i = 0; i < sizeof begin; ++i) {
            begin = begin << 8 | (i < key.name.size() ? static_cast<unsigned char>(key.name[i]) : 0U);
        }
    }
    bool operator<(const sort_key& other) const noexcept {
        const bool shared = key.ns.data() == other.key.ns.data() && key.ns.size() == other.key.ns.size();
        if (const int order = shared ? 0 : key.ns.compare(other.key.ns); order != 0) return order < 0;
        if (begin != other.begin) return begin < other.begin;
        if (const int order = key.name.compare(other.key.name); order != 0) return order < 0;
        return at < other.at;
    }

    key_view key;
    std::uint64_t begin = 0;  // of the name
    std::uint32_t at;
};

// Sorted by key; of several with the same one the last stays.
inline void sort_by_key(std::vector<any_object>& all) {
    const auto out_of_order = [](const any_object& a, const any_object& b) {
        return !(key_view_of(a.meta()) < key_view_of(b.meta()));
    };
    if (std::adjacent_find(all.begin(), all.end(), out_of_order) == all.end()) return;
    std::vector<sort_key> keys;
    keys.reserve(all.size());
    for (const auto& object : all) keys.emplace_back(object.meta(), static_cast<std::uint32_t>(keys.size()));
    std::sort(keys.begin(), keys.end());
    std::vector<any_object> sorted;
    sorted.reserve(all.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (i + 1 < keys.size() && keys[i + 1].key == keys[i].key) continue;
        sorted.push_back(std::move(all[keys[i].at]));
    }
    all.swap(sorted);
}

inline bool has_key(const std::vector<any_object>& sorted, const key_view& key) {
    const auto found = std::lower_bound(sorted.begin(), sorted.end(), key, [](const any_object& a, const key_view& k) {
        return key_view_of(a.meta()) < k;
    });
    return found != sorted.end() && key_view_of(found->meta()) == key;
}

// The events of a list in place of what is there, and the rows of those objects that stay as they are. Both are sorted
// by key, so one pass over the two does it.
inline void compare(const store_state& state, const store_content& next, bool initial, std::vector<any_event>& events,
                    std::vector<std::uint32_t>& kept) {
    std::vector<any_event> news;
    std::size_t at = 0;
    const auto add = [&](const any_object& object) {
        any_event added(event_type::added, {}, object);
        added.initial = initial;
        news.push_back(std::move(added));
    };
    if (state.size() == 0) news.reserve(next.objects.size());
    state.order.visit([&](std::uint32_t row) {
        const any_object& present = state.row(row).object;
        const key_view key = state.key_of(row);
        for (; at < next.objects.size() && key_view_of(next.objects[at].meta()) < key; ++at) add(next.objects[at]);
        if (at == next.objects.size() || key_view_of(next.objects[at].meta()) != key) {
            events.push_back(deletion(present, true));
            return;
        }
        const any_object& object = next.objects[at];
        const bool same =
            present == object ||  // kept, for it can't be read now
            (same_version(present.meta(), object.meta()) && (next.same == nullptr || next.same(present, object)));
        // Unchanged: it stays the copy that readers share already.
        if (same) kept[at] = row;
        if (!same) append_change(present, object, initial, news);
        ++at;
    });
    for (; at < next.objects.size(); ++at) add(next.objects[at]);
    if (events.empty()) {
        events = std::move(news);
    } else {
        events.insert(events.end(), std::make_move_iterator(news.begin()), std::make_move_iterator(news.end()));
    }
}

}  // namespace detail

KCONTROL_DECL store::store(measure_function measure)
    : core_(std::make_shared<detail::store_core>()),
      writer_(std::make_shared<detail::store_writer>(core_, std::move(measure))),
      trouble_(std::make_unique<detail::store_trouble>()) {}

KCONTROL_DECL store::~store() = default;

KCONTROL_DECL any_object store::get(std::string_view ns, std::string_view name) const {
    auto* const pinned = core_->versions.pin();
    const detail::store_row* row = nullptr;
    const bool found = pinned->content.find({ns, name}, row) != detail::no_row;
    any_object out = found ? row->object : any_object();
    core_->versions.unpin(*pinned);
    return out;
}

KCONTROL_DECL any_object store::get_same(const object_meta& meta) const {
    any_object present = get(meta.namespace_.view(), meta.name.view());
    return present && detail::same_version(present.meta(), meta) ? present : any_object();
}

KCONTROL_DECL std::uint64_t store::bytes() const noexcept { return writer_->bytes(); }

KCONTROL_DECL store_snapshot store::snapshot() const noexcept { return {core_, core_->versions.pin()}; }

KCONTROL_DECL std::vector<any_object> store::list(std::string_view ns) const {
    const auto now = snapshot();
    const auto& state = detail::state_of(now.version_);
    const auto [first, last] = state.range(ns);
    std::vector<any_object> out;
    out.reserve(state.order.count(first, last));
    state.order.visit(first, last, [&](std::uint32_t row) { out.push_back(state.row(row).object); });
    return out;
}

KCONTROL_DECL std::size_t store::size() const noexcept {
    auto* const pinned = core_->versions.pin();
    const std::size_t size = pinned->content.size();
    core_->versions.unpin(*pinned);
    return size;
}

KCONTROL_DECL found_objects store::by_index(const store_index& index, std::string_view key) const {
    auto now = snapshot();
    const auto& state = detail::state_of(now.version_);
    for (const auto& part : state.parts()) {
        if (index.hold_ == nullptr || part.name->id != index.hold_->id || index.hold_->writer.lock() != writer_)
            continue;
        auto found = detail::find_by_index(state, part, key);
        return {std::move(now), std::move(found)};
    }
    throw exception(error(errc::invalid_argument, "the index \"" + std::string(index.name()) +
                                                      "\" is not of this store; ask the informer that made it"));
}

KCONTROL_DECL bool store::has_key(std::string_view index, std::string_view key, const any_object& object) const {
    const detail::index_writer* const found = writer_->find_index(index);
    return found != nullptr && found->has(key, object);
}

KCONTROL_DECL result<store_index> store::add_index(std::string name, index_rule rule) {
    if (name.empty()) return error(errc::invalid_argument, "an index needs a name; the one given is empty");
    if (!rule) return error(errc::invalid_argument, "the index \"" + name + "\" needs a function; its rule has none");
    for (const auto& part : writer_->state().parts()) {
        if (part.name->name != name) continue;
        return error(errc::invalid_argument,
                     "there is an index called \"" + name +
                         "\" already; names are unique in an informer: choose another, or share "
                         "the store_index that its maker has");
    }
    auto hold = std::make_shared<detail::index_hold>(writer_, 0, name);
    hold->id = writer_->add_index(std::move(name), std::move(rule));
    return store_index(std::move(hold));
}

KCONTROL_DECL std::vector<std::shared_ptr<const invalid_object>> store::invalid() const {
    const std::scoped_lock lock(trouble_->mutex);
    std::vector<std::shared_ptr<const invalid_object>> out;
    out.reserve(trouble_->invalid.size());
    for (const auto& [key, object] : trouble_->invalid) out.push_back(object);
    return out;
}

KCONTROL_DECL std::size_t store::invalid_count() const noexcept {
    return trouble_->count.load(std::memory_order_relaxed);
}

KCONTROL_DECL store_change store::apply(any_object object) {
    store_change change;
    change.events.reserve(2);
    const auto& state = writer_->state();
    const std::uint32_t row = state.find(detail::key_view_of(object.meta()));
    // All that takes memory comes before the change: nobody would be told of it.
    const auto key = trouble_->has_any() ? std::optional(object.key()) : std::nullopt;
    if (row == detail::no_row) {
        change.events.emplace_back(event_type::added, any_object(), object);
        writer_->add(std::move(object));
    } else {
        const any_object& present = state.row(row).object;
        const object_meta& known = present.meta();
        const bool comparable = !key || !trouble_->foreign.contains(*key);
        if (comparable && detail::is_older(object.meta(), known)) return change;
        if (!detail::same_version(known, object.meta())) {
            detail::append_change(present, object, false, change.events);
            writer_->update(row, std::move(object));
        }
        if (!comparable) trouble_->foreign.erase(*key);
    }
    if (key) trouble_->forget(*key);
    return change;
}

KCONTROL_DECL store_change store::remove(any_object last) {
    store_change change;
    change.events.reserve(1);
    const auto key = trouble_->has_any() ? std::optional(last.key()) : std::nullopt;
    const auto& state = writer_->state();
    const std::uint32_t row = state.find(detail::key_view_of(last.meta()));
    if (row != detail::no_row) {
        // Another uid: what we hold is an earlier object under this key, whose own deletion went unseen.
        const any_object& present = state.row(row).object;
        const bool other = present.meta().uid != last.meta().uid;
        change.events.push_back(detail::deletion(other ? present : std::move(last), other));
        writer_->remove(row);
    }
    if (key) trouble_->forget(*key);
    return change;
}

KCONTROL_DECL store_change store::mark_invalid(invalid_object object) {
    store_change change;
    change.events.reserve(1);
    const auto next = std::make_shared<const invalid_object>(std::move(object));
    change.invalid.push_back(next);
    if (!next->has_name()) return change;
    const auto key = next->key();
    auto before = trouble_->mark(key, next);
    if (before != nullptr && detail::is_same_news(*before, *next)) change.invalid.clear();
    const auto& state = writer_->state();
    const std::uint32_t row = state.find(detail::key_view_of(next->metadata));
    if (row != detail::no_row && detail::is_other_uid(state.row(row).object.meta(), next->metadata)) {
        change.events.push_back(detail::deletion(state.row(row).object, true));
        try {
            writer_->remove(row);
        } catch (...) {
            trouble_->mark(key, std::move(before));
            throw;
        }
    }
    return change;
}

KCONTROL_DECL store_change store::remove_invalid(const invalid_object& last) {
    store_change change;
    change.events.reserve(1);
    const auto& uid = last.metadata.uid;
    const auto key = last.key();
    // Of a name that can't be read the uid is left.
    const auto has_uid = [&](const object_meta& known) { return !uid.empty() && known.uid == uid; };
    const auto& state = writer_->state();
    std::uint32_t row = state.find(detail::key_view_of(last.metadata));
    if (row == detail::no_row && !uid.empty()) {
        state.order.visit([&](std::uint32_t other) {
            if (has_uid(state.row(other).object.meta())) row = other;
        });
    }
    if (row != detail::no_row) {
        change.events.push_back(detail::deletion(state.row(row).object, true));
        writer_->remove(row);
    }
    trouble_->erase_if([&](const auto& e) { return e.first == key || has_uid(e.second->metadata); });
    return change;
}

KCONTROL_DECL store_change store::replace(store_content all, bool initial) {
    detail::sort_by_key(all.objects);
    store_change change;
    detail::store_trouble::invalid_map marks;
    for (auto& object : all.invalid) {
        auto mark = std::make_shared<const invalid_object>(std::move(object));
        if (!mark->has_name()) {
            change.invalid.push_back(std::move(mark));
        } else if (!detail::has_key(all.objects, detail::key_view_of(mark->metadata))) {
            marks.insert_or_assign(mark->key(), std::move(mark));
        }
    }
    const auto& state = writer_->state();
    std::set<namespaced_name> foreign;
    bool keeps_some = false;
    for (const auto& [key, mark] : marks) {
        const auto before = trouble_->invalid.find(key);
        if (before == trouble_->invalid.end() || !detail::is_same_news(*before->second, *mark)) {
            change.invalid.push_back(mark);
        }
        // It is there, and can't be read: what was known of it stays.
        const std::uint32_t row = state.find({key.namespace_, key.name});
        if (row == detail::no_row || detail::is_other_uid(state.row(row).object.meta(), mark->metadata)) continue;
        all.objects.push_back(state.row(row).object);
        keeps_some = true;
        if (all.same != nullptr || trouble_->foreign.contains(key)) foreign.insert(key);
    }
    if (keeps_some) detail::sort_by_key(all.objects);
    std::vector<std::uint32_t> kept(all.objects.size(), detail::no_row);
    detail::compare(state, all, initial, change.events, kept);
    if (!change.events.empty()) writer_->replace(std::move(all.objects), kept);
    trouble_->swap(marks);
    trouble_->foreign.swap(foreign);
    return change;
}

KCONTROL_DECL void store::exchange(const std::function<any_object(const any_object&)>& with) {
    const auto& state = writer_->state();
    std::vector<any_object> all;
    std::vector<std::uint32_t> kept;
    all.reserve(state.size());
    kept.reserve(state.size());
    state.order.visit([&](std::uint32_t row) {
        const any_object& present = state.row(row).object;
        any_object made = with(present);
        kept.push_back(made == present ? row : detail::no_row);
        all.push_back(std::move(made));
    });
    writer_->replace(std::move(all), kept);
}

}  // namespace kcontrol

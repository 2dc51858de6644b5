// The store of an informer: objects by key, as a plain state machine that says what each step changed.
#pragma once

#include <kcontrol/cache/event.hpp>
#include <kcontrol/cache/index.hpp>
#include <kcontrol/cache/snapshot.hpp>
#include <kcontrol/client/invalid_object.hpp>
#include <kcontrol/config.hpp>
#include <kcontrol/model/any_object.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// What a write to a store amounts to: exactly what is to be told.
class store_change {
public:
    std::vector<any_event> events;                               ///< in the order in which they are to be told
    std::vector<std::shared_ptr<const invalid_object>> invalid;  ///< objects that can't be read, news only
};

/// The whole content of a store, as a list brings it.
class store_content {
public:
    store_content() = default;
    /// Of objects that can all be read.
    explicit store_content(std::vector<any_object> all) : objects(std::move(all)) {}

    std::vector<any_object> objects;      ///< in any order; of several with one key the last counts
    std::vector<invalid_object> invalid;  ///< objects that can't be read; what is known of them stays
    /// Says whether two objects are the same, where equal versions do not: the versions are of another history. Null:
    /// they do.
    std::function<bool(const any_object&, const any_object&)> same;
};

namespace detail {
class store_writer;
struct store_core;
struct store_trouble;
}  // namespace detail

/// Objects of one kind by namespace and name. Every write returns what it changed, so that the caller delivers exactly
/// that.
///
/// An object that can't be read (it did not decode) keeps its last good version, and is invalid until a good version or
/// its deletion comes.
///
/// Each write makes a new version of the content, which shares with the one before what did not change; a reader pins
/// the one that is current. So a reader sees all of a write or nothing of it, and neither waits for the other. What no
/// version shows any more that somebody reads is freed at once, by whoever was the last to need it.
///
/// Thread-safety: the const members but has_key() may be called from any thread at any time and return shared immutable
/// objects; the others belong to one strand. A write that throws (there was no memory) changes nothing.
class store {
public:
    /// How many bytes an object takes; see object_bytes().
    using measure_function = std::function<std::size_t(const any_object&)>;

    /// With `measure`, which does not throw, bytes() counts the objects.
    KCONTROL_DECL explicit store(measure_function measure = nullptr);
    KCONTROL_DECL ~store();
    store(const store&) = delete;
    store& operator=(const store&) = delete;

    /// The object, shared, or an empty one. Allocates nothing.
    any_object get(const namespaced_name& key) const { return get(key.namespace_, key.name); }
    /// The same; `ns` is empty for a cluster-scoped kind.
    KCONTROL_DECL any_object get(std::string_view ns, std::string_view name) const;
    /// The object if it has that uid and version too.
    KCONTROL_DECL any_object get_same(const object_meta& meta) const;
    /// Sorted by key; `ns` empty: all namespaces. Copies a shared pointer an object: who reads and keeps nothing takes
    /// a snapshot().
    KCONTROL_DECL std::vector<any_object> list(std::string_view ns = {}) const;
    KCONTROL_DECL std::size_t size() const noexcept;

    /// What the objects take, and their places here, in bytes; indexes are not counted.
    KCONTROL_DECL std::uint64_t bytes() const noexcept;

    /// The content as it is now.
    KCONTROL_DECL store_snapshot snapshot() const noexcept;
    /// snapshot().select(query)
    found_objects select(const cache_query& query) const { return snapshot().select(query); }
    /// What an index of this store has under a key, sorted by key. Throws kcontrol::exception if it is none of this
    /// store.
    KCONTROL_DECL found_objects by_index(const store_index& index, std::string_view key) const;

    /// Whether an object, which need not be in the store, has a key in an index. It calls the function of the index's
    /// rule, and so belongs to the strand of the writes. False if no index has that name.
    KCONTROL_DECL bool has_key(std::string_view index, std::string_view key, const any_object& object) const;

    /// The objects that can't be read now, as far as they have a name, sorted by key. Unlike the other reads this one
    /// waits for a write that changes them, and such a write for it.
    KCONTROL_DECL std::vector<std::shared_ptr<const invalid_object>> invalid() const;
    KCONTROL_DECL std::size_t invalid_count() const noexcept;  ///< how many invalid() has; waits for nobody

    /// From now on objects are found by the keys that the rule gives them, those that are there already as well.
    /// Errors: invalid_argument if an index has that name, the name is empty, or the rule has no function. What the
    /// rule's function throws leaves the store as it was: once here, and then from each write of which it is asked.
    KCONTROL_DECL result<store_index> add_index(std::string name, index_rule rule);

    /// An object was added or modified. The same uid and resource version again is no event, nor is an older version of
    /// the same uid; another uid under the same key is `deleted` (final state unknown) and `added`.
    KCONTROL_DECL store_change apply(any_object object);

    /// An object was deleted; `last` is its last state. Unknown keys are no event.
    KCONTROL_DECL store_change remove(any_object last);

    /// An object was added or modified and can't be read. The same version and reason again is no news. What is known
    /// of an earlier object under that key, with another uid, is `deleted`.
    KCONTROL_DECL store_change mark_invalid(invalid_object object);

    /// An object was deleted whose last state can't be read.
    KCONTROL_DECL store_change remove_invalid(const invalid_object& last);

    /// First deletions (final state unknown), then additions and updates in key order; what did not change is no event.
    /// `initial` marks the additions.
    KCONTROL_DECL store_change replace(store_content all, bool initial);

    /// Puts what the function returns in the place of each object: the same key and version, which is no event.
    KCONTROL_DECL void exchange(const std::function<any_object(const any_object&)>& with);

private:
    std::shared_ptr<detail::store_core> core_;
    std::shared_ptr<detail::store_writer> writer_;
    std::unique_ptr<detail::store_trouble> trouble_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cache/impl/store.ipp>
#endif

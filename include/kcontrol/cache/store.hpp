// The store of an informer: objects by key, as a plain state machine that says what each step changed.
#pragma once

#include <kcontrol/cache/event.hpp>
#include <kcontrol/client/invalid_object.hpp>
#include <kcontrol/config.hpp>
#include <kcontrol/model/any_object.hpp>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol {

/// What a write to a store amounts to: exactly what is to be told.
class store_change {
public:
    std::vector<any_event> events;
    std::vector<std::shared_ptr<const invalid_object>> invalid;  ///< objects that can't be read, news only
};

/// The whole content of a store, as a list brings it.
class store_content {
public:
    store_content() = default;
    explicit store_content(std::vector<any_object> all) : objects(std::move(all)) {}

    std::vector<any_object> objects;
    std::vector<invalid_object> invalid;
    /// Says whether two objects are the same, where equal versions do not: the versions are of another history. Null:
    /// they do.
    std::function<bool(const any_object&, const any_object&)> same;
};

/// Objects of one kind by namespace and name. Every write returns what it changed, so that the caller delivers exactly
/// that.
///
/// An object that can't be read (it did not decode) keeps its last good version, and is invalid until a good version or
/// its deletion comes.
///
/// Thread-safety: the const members may be called from any thread at any time and return shared immutable objects; the
/// others belong to one strand. A write that throws (there was no memory) changes nothing.
class store {
public:
    KCONTROL_DECL any_object get(const namespaced_name& key) const;
    /// Sorted by key; `ns` empty: all namespaces.
    KCONTROL_DECL std::vector<any_object> list(std::string_view ns = {}) const;
    KCONTROL_DECL std::size_t size() const;
    /// The objects that can't be read now, as far as they have a name, sorted by key.
    KCONTROL_DECL std::vector<std::shared_ptr<const invalid_object>> invalid() const;
    KCONTROL_DECL std::size_t invalid_count() const;

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

private:
    using invalid_map = std::map<namespaced_name, std::shared_ptr<const invalid_object>>;

    mutable std::shared_mutex mutex_;
    std::map<namespaced_name, any_object> objects_;
    invalid_map invalid_;
    std::set<namespaced_name> foreign_;  // objects whose version is of another history: any other may follow
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cache/impl/store.ipp>
#endif

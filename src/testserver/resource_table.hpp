// All objects of one kind and the recent history of their changes: what lists, watches and stale replicas read. Pure.
#pragma once

#include <kcontrol/model/object_key.hpp>
#include <kcontrol/testing/change.hpp>

#include "testserver/stored_object.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string_view>

namespace kcontrol::inline v0_1::testing {

/// One change as it happened. `object` carries the change's version, that of a deleted object, too.
class store_event {
public:
    change what = change::added;  ///< as writers see it; watches go by their selectors
    std::uint64_t version = 0;    ///< resourceVersion of the change
    namespaced_name key;          ///< no namespace: cluster-scoped
    object_ptr object;            ///< after the change, or at its end
    object_ptr previous;          ///< null for `added`
};

/// Objects by key, and a bounded ring of changes in order of their versions.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class resource_table {
public:
    /// `born`: the server's version when the table was made; nothing older can be read from it.
    resource_table(resource_type type, std::uint64_t born, std::size_t window)
        : type_(std::move(type)), oldest_(born), window_(window) {}

    const resource_type& type() const noexcept { return type_; }                                ///< as it is served now
    const std::map<namespaced_name, object_ptr>& objects() const noexcept { return objects_; }  ///< as they are now
    /// For a range-based for: clang 14 does not know std::ranges::subrange.
    struct object_range {
        std::map<namespaced_name, object_ptr>::const_iterator first, last;
        auto begin() const noexcept { return first; }
        auto end() const noexcept { return last; }
    };
    /// Those of one namespace; all, if it is empty. Valid until a commit().
    object_range objects_in(std::string_view ns) const;
    const std::deque<store_event>& history() const noexcept { return history_; }  ///< oldest first, at most the window

    /// States at this version and later can be read; the event of this version itself is discarded.
    std::uint64_t oldest() const noexcept { return oldest_; }
    /// The version of the last event that was discarded by compaction, 0 if none was.
    std::uint64_t compacted_version() const noexcept { return compacted_version_; }
    /// True once the kind is no longer served; the table lives on in those who still read it.
    bool removed() const noexcept { return removed_; }

    /// The object, or null.
    object_ptr get(const namespaced_name& key) const;
    /// The object as it was at `version` (≥ oldest()), or null.
    object_ptr get_at(const namespaced_name& key, std::uint64_t version) const;

    /// Index in history() of the first event after `version`.
    std::size_t first_after(std::uint64_t version) const;

    /// Gets keys and objects, never null; false ends the visit.
    using visitor = std::function<bool(const namespaced_name&, const object_ptr&)>;
    /// Visits the objects as they were at `version` (≥ oldest()) in order of keys, those after `after` only, until the
    /// visitor returns false.
    void visit_at(std::uint64_t version, const namespaced_name& after, const visitor& visit) const;

    // For the store:

    void set_type(resource_type type) { type_ = std::move(type); }  ///< objects stay as they are
    void set_removed() noexcept { removed_ = true; }                ///< the kind is not served any more, for good
    /// Shows an object that is there in another form from now on; that is no change.
    void show(const namespaced_name& key, object_ptr object) { objects_[key] = std::move(object); }
    /// Applies and records a change.
    void commit(store_event event);
    /// Forgets events up to `version`.
    void compact(std::uint64_t version);
    void set_window(std::size_t window);  ///< events that it remembers; older ones go at once

private:
    void shrink(std::size_t size);

    resource_type type_;
    std::map<namespaced_name, object_ptr> objects_;
    std::deque<store_event> history_;
    std::uint64_t oldest_;
    std::uint64_t compacted_version_ = 0;
    std::size_t window_;
    bool removed_ = false;
};

}  // namespace kcontrol::testing

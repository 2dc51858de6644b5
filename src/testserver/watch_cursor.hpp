// A watcher's place in the history of a kind: what it gets to see next. Pure.
#pragma once

#include "testserver/object_filter.hpp"
#include "testserver/resource_table.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

namespace kcontrol::inline v0_1::testing {

/// What a watcher gets: "ADDED", "MODIFIED" or "DELETED", and the object.
class seen_event {
public:
    std::string_view type;  ///< a literal, valid for ever
    object_ptr object;      ///< the table's own, or made for a DELETED that is none
};

/// One change as a watcher with that filter sees it; nothing if it does not concern it. An object that begins to match
/// is ADDED; one that ceases to match is DELETED, shown as it was before, with the change's resourceVersion.
///
/// Source: k8s.io/apiserver/pkg/storage/cacher, convertToWatchEvent.
std::optional<seen_event> as_seen(const store_event& event, const object_filter& filter);

/// Reads those changes of a table that it is told of, and all that came after its version before it was made.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class watch_cursor {
public:
    /// Sees what came after version `after`. If some of that is forgotten, lost_events() is true from the start.
    watch_cursor(std::shared_ptr<const resource_table> table, object_filter filter, std::uint64_t after);

    /// A change may concern it. Versions ascend. Who never tells of a change says that it concerns nobody here.
    void notify(std::uint64_t version);

    /// The next event up to and including version `latest`; nothing when it has seen them all.
    std::optional<seen_event> next(std::uint64_t latest);
    /// Nothing up to and including version `latest` concerned it, but for what it was told of.
    void pass(std::uint64_t latest);

    /// True if events that it has not seen are forgotten already: the watch must end.
    bool lost_events() const noexcept {
        return lost_ || (!told_.empty() && told_.front() <= table_->compacted_version());
    }
    /// Everything up to this version was seen: what a bookmark says.
    std::uint64_t position() const noexcept { return position_; }

private:
    std::shared_ptr<const resource_table> table_;
    object_filter filter_;
    std::uint64_t position_;
    std::deque<std::uint64_t> told_;  // versions of changes that it has not looked at
    bool lost_;
};

}  // namespace kcontrol::testing

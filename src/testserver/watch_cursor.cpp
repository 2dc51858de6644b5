#include "testserver/watch_cursor.hpp"

#include <algorithm>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

object_ptr at_version(const stored_object& object, std::uint64_t version) {
    json::object content = object.content();
    set_resource_version(content, version);
    return std::make_shared<const stored_object>(std::move(content), object.written_in());
}

}  // namespace
}  // namespace detail

std::optional<seen_event> as_seen(const store_event& event, const object_filter& filter) {
    const bool was = event.previous != nullptr && filter.matches(event.key, *event.previous);
    if (event.what == change::deleted) {
        if (!was) return std::nullopt;
        return seen_event{"DELETED", event.object};
    }
    const bool is = filter.matches(event.key, *event.object);
    if (is) return seen_event{was ? "MODIFIED" : "ADDED", event.object};
    if (was) return seen_event{"DELETED", detail::at_version(*event.previous, event.version)};
    return std::nullopt;
}

watch_cursor::watch_cursor(std::shared_ptr<const resource_table> table, object_filter filter, std::uint64_t after)
    : table_(std::move(table)),
      filter_(std::move(filter)),
      position_(after),
      lost_(after < table_->compacted_version()) {
    const auto& history = table_->history();
    for (std::size_t i = table_->first_after(after); i < history.size(); ++i) told_.push_back(history[i].version);
}

void watch_cursor::notify(std::uint64_t version) {
    if (version > position_ && !lost_events()) told_.push_back(version);
}

std::optional<seen_event> watch_cursor::next(std::uint64_t latest) {
    while (!told_.empty() && told_.front() <= latest && !lost_events()) {
        position_ = told_.front();
        told_.pop_front();
        const store_event& event = table_->history()[table_->first_after(position_ - 1)];
        if (auto seen = as_seen(event, filter_)) return seen;
    }
    pass(latest);
    return std::nullopt;
}

void watch_cursor::pass(std::uint64_t latest) {
    const std::uint64_t seen = told_.empty() ? latest : std::min(latest, told_.front() - 1);
    position_ = std::max(position_, seen);
}

}  // namespace kcontrol::testing

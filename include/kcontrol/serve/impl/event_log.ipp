#pragma once

#include <kcontrol/serve/event_log.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::http {

KCONTROL_DECL std::string format_event(std::uint64_t id, std::string_view name, std::string_view data) {
    std::string out = "id: " + std::to_string(id) + "\nevent: ";
    out.append(name).append("\ndata: ").append(data).append("\n\n");
    return out;
}

KCONTROL_DECL void event_log::push(std::string event) {
    if (event.empty()) return;
    const position at = end_;
    end_ += event.size();
    events_.push_back({at, std::move(event)});
}

KCONTROL_DECL std::string event_log::take(position& at, std::size_t max_bytes) const {
    std::string out;
    auto next = std::lower_bound(events_.begin(), events_.end(), at,
                                 [](const kept& one, position wanted) { return one.at < wanted; });
    for (; next != events_.end() && (out.empty() || out.size() + next->text.size() <= max_bytes); ++next) {
        out += next->text;
        at = next->at + next->text.size();
    }
    return out;
}

KCONTROL_DECL void event_log::forget_before(position at) {
    while (!events_.empty() && events_.front().at < at) {
        begin_ = events_.front().at + events_.front().text.size();
        events_.pop_front();
    }
}

}  // namespace kcontrol::http

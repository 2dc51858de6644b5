#pragma once

#include <kcontrol/serve/event_queue.hpp>

#include <utility>

namespace kcontrol::http {

KCONTROL_DECL std::string format_event(std::uint64_t id, std::string_view name, std::string_view data) {
    std::string out = "id: " + std::to_string(id) + "\nevent: ";
    out.append(name).append("\ndata: ").append(data).append("\n\n");
    return out;
}

KCONTROL_DECL void event_queue::push(std::shared_ptr<const std::string> event) {
    if (overflowed_) return;
    if (bytes_ + event->size() > max_bytes_) {
        overflowed_ = true;
        events_.clear();
        bytes_ = 0;
        return;
    }
    bytes_ += event->size();
    events_.push_back(std::move(event));
}

KCONTROL_DECL std::string event_queue::take(std::size_t max_bytes) {
    std::string out;
    while (!events_.empty() && (out.empty() || out.size() + events_.front()->size() <= max_bytes)) {
        out += *events_.front();
        bytes_ -= events_.front()->size();
        events_.pop_front();
    }
    return out;
}

}  // namespace kcontrol::http

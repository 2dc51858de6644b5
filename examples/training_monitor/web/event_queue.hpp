// The events one client of the stream has yet to receive: bounded, so that a slow client costs its own connection only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

namespace training_monitor {

/// One server-sent event as it goes on the wire. `data` has no line break.
/// Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
inline std::string format_event(std::uint64_t id, std::string_view name, std::string_view data) {
    std::string out = "id: " + std::to_string(id) + "\nevent: ";
    out.append(name).append("\ndata: ").append(data).append("\n\n");
    return out;
}

/// Thread-safety: shared objects unsafe.
class event_queue {
public:
    explicit event_queue(std::size_t max_bytes) : max_bytes_(max_bytes) {}

    /// Appends an event, whose text clients share. What does not fit marks the queue as overflowed: it is emptied,
    /// takes nothing more, and its client has to start over.
    void push(std::shared_ptr<const std::string> event) {
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

    /// The next events, in order, joined: at least one if there is one, then as many as fit into `max_bytes`.
    std::string take(std::size_t max_bytes) {
        std::string out;
        while (!events_.empty() && (out.empty() || out.size() + events_.front()->size() <= max_bytes)) {
            out += *events_.front();
            bytes_ -= events_.front()->size();
            events_.pop_front();
        }
        return out;
    }

    bool empty() const noexcept { return events_.empty(); }
    bool overflowed() const noexcept { return overflowed_; }
    std::size_t bytes() const noexcept { return bytes_; }

private:
    std::size_t max_bytes_;
    std::size_t bytes_ = 0;
    bool overflowed_ = false;
    std::deque<std::shared_ptr<const std::string>> events_;
};

}  // namespace training_monitor

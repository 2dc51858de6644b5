#pragma once

#include <kcontrol/serve/event_stream.hpp>
#include <kcontrol/serve/responses.hpp>

#include <memory>
#include <utility>

namespace kcontrol::http {

KCONTROL_DECL response_head event_stream_head() {
    response_head head(200);
    head.headers.set("Content-Type", "text/event-stream");
    protect(head.headers);
    head.headers.set("X-Accel-Buffering", "no");  // nginx would collect events otherwise
    return head;
}

// Keeps a client on the list as long as its coroutine runs.
class event_stream::membership {
public:
    explicit membership(event_stream& of) : of_(of) {
        at_ = of.clients_.emplace(of.clients_.end(), of.options_.max_queued_bytes());
    }
    ~membership() { of_.clients_.erase(at_); }
    membership(const membership&) = delete;
    membership& operator=(const membership&) = delete;
    client& self() noexcept { return *at_; }

private:
    event_stream& of_;
    std::list<client>::iterator at_;
};

KCONTROL_DECL void event_stream::publish(std::string event) {
    if (clients_.empty()) return;
    const auto shared = std::make_shared<const std::string>(std::move(event));
    for (auto& each : clients_) {
        each.queue.push(shared);
        each.wake.notify_all();
    }
}

KCONTROL_DECL awaitable<void> event_stream::serve(responder& out, response_head head, opening first) {
    const auto started = co_await out.start(std::move(head));
    if (!started) co_return;
    membership member(*this);  // what is published from here on is queued, while `first` is being sent
    if (first) {
        const auto sent = co_await first(out);
        if (!sent) co_return;
    }
    co_await send_events(out, member.self());
}

inline awaitable<void> event_stream::send_events(responder& out, client& self) {
    const std::stop_token gone = out.gone();
    while (!gone.stop_requested()) {
        std::string piece;
        if (self.queue.overflowed()) {
            ++cut_off_;
            const auto last_words = co_await out.write(": too slow; reconnect for the present state\n\n");
            static_cast<void>(last_words);
            co_return;
        }
        if (!self.queue.empty()) {
            piece = self.queue.take(options_.piece_bytes());
        } else {
            const auto woken = co_await self.wake.wait(env_, gone, env_.now() + options_.heartbeat());
            if (woken == wake::notified) continue;
            if (woken == wake::stopped) co_return;
            piece = ": still here\n\n";
        }
        const auto written = co_await out.write(std::move(piece));
        if (!written) co_return;
    }
}

}  // namespace kcontrol::http

#pragma once

#include <kcontrol/serve/event_stream.hpp>
#include <kcontrol/serve/responses.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::http {

KCONTROL_DECL response_head event_stream_head() {
    response_head head(200);
    head.headers.set("Content-Type", "text/event-stream");
    protect(head.headers);
    head.headers.set("X-Accel-Buffering", "no");  // nginx would collect events otherwise
    return head;
}

namespace detail {

// A client that takes nothing for so long is not just slow.
inline constexpr duration stalled_client = std::chrono::seconds(1);

}  // namespace detail

// Keeps a client on the list as long as its coroutine runs.
class event_stream::membership {
public:
    membership(event_stream& of, responder& out) : of_(of), at_(of.clients_.emplace(of.clients_.end(), out)) {}
    ~membership() {
        of_.clients_.erase(at_);
        of_.forget_sent();
    }
    membership(const membership&) = delete;
    membership& operator=(const membership&) = delete;
    client& self() noexcept { return *at_; }

private:
    event_stream& of_;
    std::list<client>::iterator at_;
};

// Notes since when a client does not take what is written to it.
class event_stream::timed_responder final : public responder {
public:
    timed_responder(environment& env, client& of) : env_(env), of_(of) {}

    awaitable<result<void>> send(response answer) override { return of_.out.send(std::move(answer)); }
    awaitable<result<void>> start(response_head head) override {
        of_.writing_since = env_.now();
        auto written = co_await of_.out.start(std::move(head));
        of_.writing_since.reset();
        co_return written;
    }
    awaitable<result<void>> write(std::string piece) override {
        of_.writing_since = env_.now();
        auto written = co_await of_.out.write(std::move(piece));
        of_.writing_since.reset();
        co_return written;
    }
    void abort() override { of_.out.abort(); }
    std::stop_token disconnected() const override { return of_.out.disconnected(); }
    void admit() override { of_.out.admit(); }
    bool holds(std::size_t bytes) override { return of_.out.holds(bytes); }

private:
    environment& env_;
    client& of_;
};

inline bool event_stream::is_stalled(const client& one) const {
    return one.writing_since && env_.now() - *one.writing_since >= detail::stalled_client;
}

// One whose write goes on gets some last words when that has ended.
inline void event_stream::cut(client& one) {
    one.cut = true;
    if (is_stalled(one)) one.out.abort();
    one.wake.notify_all();
}

inline void event_stream::forget_sent() {
    event_log::position first = log_of_events_.end();
    for (const auto& each : clients_) {
        if (each.joined && !each.cut) first = std::min(first, each.at);
    }
    log_of_events_.forget_before(first);
}

KCONTROL_DECL void event_stream::publish(std::string event) {
    if (clients_.empty()) return;
    log_of_events_.push(std::move(event));
    for (auto& each : clients_) {
        if (!each.joined || each.cut) continue;
        if (log_of_events_.end() - each.at <= options_.max_queued_bytes()) {
            each.wake.notify_all();
            continue;
        }
        cut(each);
        ++disconnected_slow_;
        const auto times = behind_pace_.count(env_.now());
        if (!times) continue;
        log_.warning("clients of the event stream are too slow and cut off",
                     {{"behind", "more than " + std::to_string(options_.max_queued_bytes()) + " bytes"},
                      {"clients", std::to_string(*times)}});
    }
    forget_sent();
}

inline bool event_stream::make_room() {
    std::size_t there = 0;
    client* slowest = nullptr;
    for (auto& each : clients_) {
        if (each.cut) continue;
        ++there;
        if (is_stalled(each) && (!slowest || each.writing_since < slowest->writing_since)) slowest = &each;
    }
    if (there < options_.max_clients()) return true;
    ++(slowest ? disconnected_for_capacity_ : refused_);
    if (slowest) cut(*slowest);
    if (const auto times = crowded_pace_.count(env_.now())) {
        log_.warning(
            "there are more clients of the event stream than may be; the slowest is cut off, or a new one is "
            "refused if none is slow",
            {{"limit", std::to_string(options_.max_clients())}, {"clients", std::to_string(*times)}});
    }
    return slowest != nullptr;
}

KCONTROL_DECL awaitable<void> event_stream::serve(responder& out, response_head head, opening first) {
    if (!make_room()) {
        auto full = try_again_response(10, "there are too many clients of this event stream; try again later");
        const auto sent = co_await out.send(std::move(full));
        static_cast<void>(sent);
        co_return;
    }
    membership member(*this, out);
    client& self = member.self();
    timed_responder timed(env_, self);
    const auto started = co_await timed.start(std::move(head));
    if (!started) co_return;
    self.at = log_of_events_.end();  // what is published from here on is sent after `first`
    self.joined = true;
    if (first) {
        const auto sent = co_await first(timed);
        if (!sent) co_return;
    }
    co_await send_events(timed, self);
}

inline awaitable<void> event_stream::send_events(responder& out, client& self) {
    const std::stop_token gone = out.disconnected();
    while (!gone.stop_requested()) {
        std::string piece;
        if (self.cut) {
            const auto last_words = co_await out.write(": too slow; reconnect for the present state\n\n");
            static_cast<void>(last_words);
            co_return;
        }
        if (self.at != log_of_events_.end()) {
            piece = log_of_events_.take(self.at, options_.piece_bytes());
        } else {
            const auto woken = co_await self.wake.wait(env_, gone, env_.now() + options_.heartbeat());
            if (woken == wake::notified) continue;
            if (woken == wake::stopped) co_return;
            forget_sent();
            piece = ": still here\n\n";
        }
        const auto written = co_await out.write(std::move(piece));
        if (!written) co_return;
    }
}

}  // namespace kcontrol::http

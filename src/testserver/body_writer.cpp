#include "testserver/body_writer.hpp"

#include <kcontrol/runtime/wait.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::testing::detail {
namespace {

std::string huge_event_text(std::size_t bytes) {
    const std::string head =
        R"({"type":"MODIFIED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"huge"},"data":{"x":")";
    const std::string tail = "\"}}}\n";
    const std::size_t fill = bytes > head.size() + tail.size() ? bytes - head.size() - tail.size() : 0;
    return head + std::string(fill, 'x') + tail;
}

}  // namespace

std::string error_event_text(const failure& f) {
    return R"({"type":"ERROR","object":)" + json::serialize(f.status()) + "}\n";
}

// Ten pieces a second, or a byte at a time. False: the peer has gone. A rate of 0 is none.
awaitable<bool> write_at_rate(environment& env, http::responder& out, std::string text, std::size_t rate) {
    if (rate == 0) {
        const auto written = co_await out.write(std::move(text));
        co_return static_cast<bool>(written);
    }
    const std::size_t step = std::max<std::size_t>(1, rate / 10);
    for (std::size_t at = 0; at < text.size(); at += step) {
        std::string piece = text.substr(at, step);
        const auto bytes = static_cast<std::int64_t>(piece.size());
        const auto written = co_await out.write(std::move(piece));
        if (!written) co_return false;
        const duration pause = duration(std::chrono::seconds(1)) * bytes / static_cast<std::int64_t>(rate);
        const wake why = co_await sleep_for(env, pause, out.disconnected());
        if (why == wake::stopped) co_return false;
    }
    co_return true;
}

bool body_writer::add(std::string_view event) {
    check_end();
    if (ended_) return false;
    std::string made;
    if (form_ != nullptr) event = made = form_(std::string(event));
    if (events_++ == fault_.position()) {
        switch (fault_.kind()) {
        case fault::stream::truncated_event:
            ended_ = true;
            event = event.substr(0, event.size() / 2);
            break;
        case fault::stream::garbage_event: buffer_ += "\x7f<not json>{{{\n"; break;
        case fault::stream::huge_event: buffer_ += huge_event_text(fault_.size()); break;
        case fault::stream::lost_event: return true;
        case fault::stream::error_event:
            ended_ = true;
            made = error_event_text(fault_.error());
            if (form_ != nullptr) made = form_(std::move(made));
            event = made;
            break;
        default: break;
        }
    }
    buffer_ += event;
    check_end();
    return !ended_;
}

awaitable<bool> body_writer::flush() {
    check_end();
    if (fault_.kind() == fault::stream::cut_after_bytes && sent_ + buffer_.size() >= fault_.position()) {
        buffer_.resize(fault_.position() - sent_);
        abort_ = ended_ = true;
    }
    std::string piece = std::move(buffer_);
    buffer_.clear();
    sent_ += piece.size();
    if (!piece.empty()) {
        const bool written = co_await write_at_rate(env_, out_, std::move(piece), fault_.bytes_per_second());
        if (!written) co_return false;
    }
    if (abort_) out_.abort();
    co_return !ended_;
}

// Cut or ended after so many events: at once, not when the next one comes.
void body_writer::check_end() {
    const bool cuts = fault_.kind() == fault::stream::cut_after_events;
    if (!cuts && fault_.kind() != fault::stream::end_after_events) return;
    if (events_ < fault_.position()) return;
    ended_ = true;
    abort_ = cuts;
}

awaitable<void> send_answer(environment& env, http::responder& out, http::response answer, const fault& injected) {
    const bool cuts = injected.kind() == fault::stream::cut_after_bytes && injected.position() < answer.body.size();
    if (!cuts && injected.bytes_per_second() == 0) {
        (void)co_await out.send(std::move(answer));
        co_return;
    }
    http::response_head head = static_cast<const http::response_head&>(answer);
    std::string piece = cuts ? answer.body.substr(0, injected.position()) : std::move(answer.body);
    const auto started = co_await out.start(std::move(head));
    if (started && !piece.empty()) {
        (void)co_await write_at_rate(env, out, std::move(piece), injected.bytes_per_second());
    }
    if (cuts) out.abort();
}

}  // namespace kcontrol::testing::detail

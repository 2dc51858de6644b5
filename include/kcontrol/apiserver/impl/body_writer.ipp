#pragma once

#include <kcontrol/apiserver/detail/body_writer.hpp>

namespace kcontrol::testing::detail {

inline std::string huge_event_text(std::size_t bytes) {
    const std::string head =
        R"({"type":"MODIFIED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"huge"},"data":{"x":")";
    const std::string tail = "\"}}}\n";
    const std::size_t fill = bytes > head.size() + tail.size() ? bytes - head.size() - tail.size() : 0;
    return head + std::string(fill, 'x') + tail;
}

inline std::string error_event_text(const failure& f) {
    return R"({"type":"ERROR","object":)" + json::serialize(f.status()) + "}\n";
}

KCONTROL_DECL bool body_writer::add(std::string event) {
    check_end();
    if (ended_) return false;
    if (events_++ == fault_.position()) {
        switch (fault_.kind()) {
        case fault::stream::truncated_event:
            ended_ = true;
            event.resize(event.size() / 2);
            break;
        case fault::stream::garbage_event: buffer_ += "\x7f<not json>{{{\n"; break;
        case fault::stream::huge_event: buffer_ += huge_event_text(fault_.size()); break;
        case fault::stream::error_event:
            ended_ = true;
            event = error_event_text(fault_.error());
            break;
        default: break;
        }
    }
    buffer_ += event;
    check_end();
    return !ended_;
}

KCONTROL_DECL awaitable<bool> body_writer::flush() {
    check_end();
    if (fault_.kind() == fault::stream::cut_after_bytes && sent_ + buffer_.size() >= fault_.position()) {
        buffer_.resize(fault_.position() - sent_);
        abort_ = ended_ = true;
    }
    std::string piece = std::move(buffer_);
    buffer_.clear();
    sent_ += piece.size();
    if (!piece.empty()) {
        const auto written = co_await out_.write(std::move(piece));
        if (!written) co_return false;
    }
    if (abort_) out_.abort();
    co_return !ended_;
}

// Cut or ended after so many events: at once, not when the next one comes.
KCONTROL_DECL void body_writer::check_end() {
    const bool cuts = fault_.kind() == fault::stream::cut_after_events;
    if (!cuts && fault_.kind() != fault::stream::end_after_events) return;
    if (events_ < fault_.position()) return;
    ended_ = true;
    abort_ = cuts;
}

KCONTROL_DECL awaitable<void> send_answer(http::responder& out, http::response answer, const fault& injected) {
    if (injected.kind() != fault::stream::cut_after_bytes || injected.position() >= answer.body.size()) {
        (void)co_await out.send(std::move(answer));
        co_return;
    }
    http::response_head head = static_cast<const http::response_head&>(answer);
    std::string piece = answer.body.substr(0, injected.position());
    const auto started = co_await out.start(std::move(head));
    if (started && !piece.empty()) (void)co_await out.write(std::move(piece));
    out.abort();
}

}  // namespace kcontrol::testing::detail

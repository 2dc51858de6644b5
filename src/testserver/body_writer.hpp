// Writes the body of an answer, and breaks it on the way where a fault says so.
#pragma once

#include <kcontrol/http/handler.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/testing/fault.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::testing::detail {

/// Collects the events of a watch, writes them, and applies the fault. Not thread-safe.
/// Object lifetime: the environment, `out` and the fault outlive it.
class body_writer {
public:
    body_writer(environment& env, http::responder& out, const fault& injected)
        : env_(env), out_(out), fault_(injected) {}

    /// Events are sent as `form` makes them of their line of JSON.
    void write_as(std::string (*form)(std::string event)) noexcept { form_ = form; }

    /// Adds an event (with its newline) to what flush() will send. False: the stream has ended, add no more.
    bool add(std::string_view event);

    /// Sends what was added. False: the stream is over, return from the handler.
    awaitable<bool> flush();

    std::size_t pending() const noexcept { return buffer_.size(); }

private:
    void check_end();

    environment& env_;
    http::responder& out_;
    const fault& fault_;
    std::string (*form_)(std::string) = nullptr;
    std::string buffer_;
    std::size_t events_ = 0;
    std::size_t sent_ = 0;
    bool ended_ = false;
    bool abort_ = false;
};

/// A line of a watch with a Status.
std::string error_event_text(const failure& f);

/// Ten pieces a second, or a byte at a time. False: the peer has gone. A rate of 0 is none.
awaitable<bool> write_at_rate(environment& env, http::responder& out, std::string text, std::size_t rate);

/// Sends a whole answer, cut after some bytes or slowly if the fault says so.
awaitable<void> send_answer(environment& env, http::responder& out, http::response answer, const fault& injected);

}  // namespace kcontrol::testing::detail

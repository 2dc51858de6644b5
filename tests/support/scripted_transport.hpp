// A transport that plays a script: each request must be the expected one and gets the answer written down for it.
#pragma once

#include <kcontrol/http/transport.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::test {

/// How a streamed body ends after its last slice: properly, in the middle of a message, by a broken connection, or not
/// at all (until the idle time, the stop token, or the test's next push).
enum class stream_end { clean, truncated, lost, open };

/// A body the test feeds, before or while it is read. Each slice is given out by one read (if the reader has room).
class scripted_body {
public:
    explicit scripted_body(environment& env) : env_(env) {}

    void push(std::string slice) {
        slices_.push_back(std::move(slice));
        changed_.notify_all();
    }
    void end(stream_end how) {
        end_ = how;
        changed_.notify_all();
    }
    /// True once the reader has let go of the stream.
    bool abandoned() const noexcept { return abandoned_; }

    void abandon() { abandoned_ = true; }
    awaitable<result<std::size_t>> read(std::span<char> into, duration idle, std::stop_token stop) {
        const time_point deadline = env_.now() + idle;
        for (;;) {
            if (stop.stop_requested()) co_return error(errc::stopped);
            if (!slices_.empty()) co_return take(into);
            switch (end_) {
            case stream_end::clean: co_return std::size_t{0};
            case stream_end::truncated: co_return error(errc::truncated, "scripted: truncated");
            case stream_end::lost: co_return error(errc::connection_lost, "scripted: connection lost");
            case stream_end::open: break;
            }
            const wake why = co_await changed_.wait(env_, stop, deadline);
            if (why == wake::timeout) co_return error(errc::timeout, "scripted: idle");
        }
    }

private:
    std::size_t take(std::span<char> into) {
        std::string& slice = slices_.front();
        const std::size_t n = std::min(into.size(), slice.size());
        std::copy_n(slice.data(), n, into.data());
        slice.erase(0, n);
        if (slice.empty()) slices_.pop_front();
        return n;
    }

    environment& env_;
    std::deque<std::string> slices_;
    stream_end end_ = stream_end::open;
    async_event changed_;
    bool abandoned_ = false;
};

/// One expected request and its answer.
class scripted_step {
public:
    scripted_step(environment& env, std::string expected)
        : expected_(std::move(expected)), body_(std::make_shared<scripted_body>(env)) {}

    /// The request's body must be this.
    scripted_step& with_body(std::string text) { return request_body_ = std::move(text), *this; }
    /// The request must carry this header.
    scripted_step& with_header(std::string name, std::string value) {
        return request_headers_.add(name, std::move(value)), *this;
    }
    /// Answers with a whole body.
    scripted_step& reply(int status, std::string text, std::string content_type = "application/json") {
        head_.status = status;
        if (!content_type.empty()) head_.headers.set("Content-Type", std::move(content_type));
        if (!text.empty()) body_->push(std::move(text));
        body_->end(stream_end::clean);
        return *this;
    }
    /// Answers 200 with these slices of a body; more may follow through body() if the end is open.
    scripted_step& stream(std::initializer_list<std::string> slices, stream_end how = stream_end::clean) {
        head_.status = 200;
        head_.headers.set("Content-Type", "application/json");
        for (const auto& slice : slices) body_->push(slice);
        body_->end(how);
        return *this;
    }
    scripted_step& header(std::string name, std::string value) {
        return head_.headers.add(name, std::move(value)), *this;
    }
    /// No answer: the transport fails so.
    scripted_step& fail(errc code, std::string message = "scripted failure") {
        return failure_ = error(code, std::move(message)), *this;
    }
    /// No answer until the deadline or the stop token.
    scripted_step& hang() { return hang_ = true, *this; }

    /// The answer's body, to feed it while it is being read.
    std::shared_ptr<scripted_body> body() const { return body_; }

private:
    friend class scripted_transport;
    std::string expected_;
    std::optional<std::string> request_body_;
    http::fields request_headers_;
    http::response_head head_{200};
    std::shared_ptr<scripted_body> body_;
    std::optional<error> failure_;
    bool hang_ = false;
};

/// Plays its steps in order. What goes wrong is collected and reported by verify(), never thrown through the code
/// under test. `GET /path?*` expects any target that begins so.
class scripted_transport final : public http::transport, public std::enable_shared_from_this<scripted_transport> {
public:
    explicit scripted_transport(environment& env) : env_(env) {}

    /// Adds a step: "METHOD target". The reference is good until the step is played.
    scripted_step& expect(std::string method_and_target) {
        return steps_.emplace_back(env_, std::move(method_and_target));
    }

    /// What was sent, in order.
    std::vector<http::request> sent;
    std::vector<duration> deadlines;
    /// What the factory was called with last.
    http::endpoint server;
    http::tls_options tls;
    int connected = 0;
    bool closed = false;

    /// A factory whose transports are all this one.
    http::transport_factory factory() {
        return [self = shared_from_this()](executor, const http::endpoint& to,
                                           const http::tls_options& with) -> result<std::shared_ptr<http::transport>> {
            self->server = to;
            self->tls = with;
            ++self->connected;
            return std::shared_ptr<http::transport>(self);
        };
    }

    std::size_t steps_left() const noexcept { return steps_.size(); }
    const std::vector<std::string>& failures() const noexcept { return failures_; }

    /// Checks that every step was played and nothing else was asked.
    void verify() const {
        for (const auto& failure : failures_) FAIL_CHECK(failure);
        for (const auto& step : steps_) FAIL_CHECK("never requested: " << step.expected_);
    }

    awaitable<result<http::response>> round_trip(http::request req, http::exchange_options options) override {
        const time_point deadline = env_.now() + options.deadline();
        const std::stop_token stop = options.stop();
        const std::size_t room = options.max_body();
        auto opened = co_await open_stream(std::move(req), std::move(options));
        if (!opened) co_return opened.error();
        http::response answer;
        answer.status = opened->head.status;
        answer.headers = opened->head.headers;
        char chunk[4096];
        for (;;) {
            const std::span<char> into(chunk);
            const auto n = co_await opened->body->read_some(into, deadline - env_.now(), stop);
            if (!n) co_return n.error();
            if (*n == 0) break;
            answer.body.append(chunk, *n);
            if (answer.body.size() > room) co_return error(errc::too_large, "scripted: the body is too large");
        }
        co_return answer;
    }

    awaitable<result<http::streamed_response>> open_stream(http::request req, http::exchange_options options) override {
        if (options.stop().stop_requested()) co_return error(errc::stopped);
        sent.push_back(req);
        deadlines.push_back(options.deadline());
        if (steps_.empty()) co_return unexpected("no step left for " + req.method + " " + req.target);
        const scripted_step step = std::move(steps_.front());
        steps_.pop_front();
        if (const auto wrong = compare(step, req); !wrong.empty()) co_return unexpected(wrong);
        if (step.hang_) {
            const wake why = co_await sleep_for(env_, options.deadline(), options.stop());
            co_return error(why == wake::stopped ? errc::stopped : errc::timeout, "scripted: no answer");
        }
        if (step.failure_) co_return *step.failure_;
        http::streamed_response answer;
        answer.head = step.head_;
        answer.body = std::make_unique<reader>(step.body_);
        co_return answer;
    }

    void close() override { closed = true; }

private:
    class reader final : public http::body_stream {
    public:
        explicit reader(std::shared_ptr<scripted_body> body) : body_(std::move(body)) {}
        ~reader() override { body_->abandon(); }
        awaitable<result<std::size_t>> read_some(std::span<char> into, duration idle, std::stop_token stop) override {
            return body_->read(into, idle, std::move(stop));
        }

    private:
        std::shared_ptr<scripted_body> body_;
    };

    error unexpected(std::string what) {
        failures_.push_back(what);
        return error(errc::unavailable, "script: " + what);
    }

    static std::string compare(const scripted_step& step, const http::request& req) {
        const std::string got = req.method + " " + req.target;
        const std::string& want = step.expected_;
        const bool open = !want.empty() && want.back() == '*';
        const bool same = open ? got.compare(0, want.size() - 1, want, 0, want.size() - 1) == 0 : got == want;
        if (!same) return "expected " + want + ", got " + got;
        if (step.request_body_ && *step.request_body_ != req.body) {
            return got + ": expected body " + *step.request_body_ + ", got " + req.body;
        }
        for (const auto& field : step.request_headers_) {
            if (req.headers.get(field.name) == field.value) continue;
            return got + ": expected header " + field.name + ": " + field.value;
        }
        return {};
    }

    environment& env_;
    std::deque<scripted_step> steps_;
    std::vector<std::string> failures_;
};

}  // namespace kcontrol::test

// A transport that plays a script: each request must be the expected one and gets the answer written down for it.
#pragma once

#include <kcontrol/http/transport.hpp>
#include <kcontrol/testing/scripted_body.hpp>

#include <deque>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// One expected request and its answer; made by scripted_transport::expect(). Without an answer it is 200 with a body
/// that stays open.
///
/// Thread-safety: shared objects unsafe.
class scripted_step {
public:
    /// `expected`: as of scripted_transport::expect().
    scripted_step(environment& env, std::string expected);

    /// The request's body must be this.
    scripted_step& with_body(std::string text);
    /// The request must carry this header.
    scripted_step& with_header(std::string name, std::string value);
    /// Answers with a whole body.
    scripted_step& reply(int status, std::string text, std::string content_type = "application/json");
    /// Answers 200 with these slices of a body; more may follow through body() if the end is open.
    scripted_step& stream(std::initializer_list<std::string> slices, stream_end how = stream_end::clean);
    /// Adds a header to the answer.
    scripted_step& header(std::string name, std::string value);
    /// No answer: the transport fails so.
    scripted_step& fail(errc code, std::string message = "scripted failure");
    /// No answer until the deadline or the stop token.
    scripted_step& hang() { return hang_ = true, *this; }

    /// The answer's body, to feed it while it is being read.
    std::shared_ptr<scripted_body> body() const { return body_; }

private:
    friend class scripted_transport;
    /// What is wrong with a request, or nothing.
    std::string compare(const http::request& req) const;

    std::string expected_;
    std::optional<std::string> request_body_;
    http::fields request_headers_;
    http::response_head head_{200};
    std::shared_ptr<scripted_body> body_;
    std::optional<error> failure_;
    bool hang_ = false;
};

/// Plays its steps in order. What goes wrong is collected for verify(), and never thrown through the code under test: a
/// request that is not the expected one fails with errc::unavailable. Make it with std::make_shared and connect a
/// client with its factory().
///
/// Thread-safety: shared objects unsafe; use it on the client's executor. Object lifetime: the environment outlives it.
class scripted_transport final : public http::transport, public std::enable_shared_from_this<scripted_transport> {
public:
    explicit scripted_transport(environment& env) : env_(env) {}  ///< without a step; to be made with std::make_shared

    /// Adds a step: "METHOD target". "GET /path?*" expects any target that begins so. The reference is good until the
    /// step is played.
    scripted_step& expect(std::string method_and_target);

    /// An error that names every request that was not as expected, and every step that was not played; or none:
    /// `CHECK(net->verify())`.
    result<void> verify() const;
    /// The same as a list of texts, which is empty if all went well.
    std::vector<std::string> failures() const;
    std::size_t remaining_steps() const noexcept { return steps_.size(); }  ///< steps that nobody has requested yet

    /// The requests so far, and the deadline of each.
    const std::vector<http::request>& sent() const noexcept { return sent_; }
    /// The time that each of sent() had, in the same order.
    const std::vector<duration>& deadlines() const noexcept { return deadlines_; }

    /// A factory whose transports are all this one.
    http::transport_factory factory();
    /// How often the factory was called, and with what last.
    int connected() const noexcept { return connected_; }
    const http::endpoint& server() const noexcept { return server_; }  ///< the last that the factory was called for
    const http::tls_options& tls() const noexcept { return tls_; }     ///< the last that the factory was given

    /// Plays the next step; a whole response is read to its end. Errors: unavailable (another request was expected, or
    /// a WebSocket), those of the step, too_large, timeout, stopped.
    awaitable<result<http::opened_exchange>> open(http::request req, http::exchange_options options) override;
    void close() override { closed_ = true; }         ///< is remembered only: requests are still answered
    bool closed() const noexcept { return closed_; }  ///< whether close() was called

private:
    error unexpected(std::string what);

    environment& env_;
    std::deque<scripted_step> steps_;
    std::vector<std::string> unexpected_;
    std::vector<http::request> sent_;
    std::vector<duration> deadlines_;
    http::endpoint server_;
    http::tls_options tls_;
    int connected_ = 0;
    bool closed_ = false;
};

}  // namespace kcontrol::testing

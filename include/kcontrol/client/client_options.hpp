// How a client treats its server, beside who it is: its name, its pace, the encoding of objects, and what the program
// hears of requests.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/http/message.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

class object_encoding;

/// What a server says beside its answer: the use of a deprecated version, a field that it does not know…
class server_warning {
public:
    std::string text;    ///< as it may be logged: at most 2048 bytes, control characters escaped
    std::string method;  ///< of the request
    std::string path;    ///< of the request, without its query
};

/// What became of a request that was sent: one try of it.
class request_outcome {
public:
    int status = 0;       ///< of the answer; 0: none came
    std::string failure;  ///< why none came
    duration took{};      ///< from the sending to the answer, of a stream to its head
};

/// See client::with(). What the functions throw is the error callback_failed of on_request, and is logged of the
/// others. They are called on the client's executor.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class client_options {
public:
    /// Of on_warning(): is called once for each warning.
    using warning_function = std::function<void(const server_warning&)>;
    /// Of on_request(): may change the request, or refuse it with an error.
    using request_function = std::function<result<void>(http::request&)>;
    /// Of on_response(): gets the request as it was before credentials and on_request().
    using response_function = std::function<void(const http::request&, const request_outcome&)>;

    client_options() = default;

    /// What the server's audit log calls this program: "website-operator/1.4". Default: "kcontrol/VERSION".
    client_options& user_agent(std::string name) { return user_agent_ = std::move(name), *this; }

    /// Is told each warning of the server (the header Warning with code 299), as often as it comes. Default: the log
    /// gets each text once, as a warning.
    client_options& on_warning(warning_function f) { return on_warning_ = std::move(f), *this; }

    /// How objects travel where the kind and the server have that encoding, such as protobuf_encoding(); else as JSON.
    /// A server or a proxy that answers otherwise is remembered, and logged once. Null: JSON. Default: that of the
    /// client that with() is called on, which is JSON after connect().
    client_options& encoding(std::shared_ptr<const object_encoding> e) { return encoding_ = std::move(e), *this; }

    /// At most so many requests a second, each try counted and watches left out; up to `burst` of them at once. Who is
    /// over it waits, and gets `timeout` at once where his deadline would pass meanwhile. Default: 0, which is no
    /// limit: servers have priorities and fairness of their own, and say when it is too much.
    client_options& rate_limit(double a_second, std::uint32_t burst) { return rate_ = a_second, burst_ = burst, *this; }

    /// An object that this client and its copies write more than so many times within a minute is logged once, as a
    /// warning, and counted by kcontrol_client_hot_objects_total{kind}; again only after five minutes without that.
    /// Each create, update, patch and apply that the server accepted counts, also of a subresource. Excluded are dry
    /// runs, creates with generateName, Leases, Events, reviews and TokenRequests. No write is delayed or rejected.
    /// Default 30; 0: no detector.
    client_options& hot_loop_limit(std::uint32_t writes_a_minute) { return hot_loop_limit_ = writes_a_minute, *this; }

    /// Is called with each try as it is about to be sent, complete but for what the transport adds; it may change the
    /// headers and the body, or refuse the try with an error, which ends the call. The request holds credentials.
    client_options& on_request(request_function f) { return on_request_ = std::move(f), *this; }
    /// Is called with the outcome of each try, as soon as the head of its response is there.
    client_options& on_response(response_function f) { return on_response_ = std::move(f), *this; }

    const std::string& user_agent() const noexcept { return user_agent_; }
    const warning_function& on_warning() const noexcept { return on_warning_; }
    /// Nothing: encoding() was not called.
    const std::optional<std::shared_ptr<const object_encoding>>& encoding() const noexcept { return encoding_; }
    double rate() const noexcept { return rate_; }           ///< requests a second, of rate_limit(); 0: no limit
    std::uint32_t burst() const noexcept { return burst_; }  ///< how many of them at once; 0 counts as 1
    std::uint32_t hot_loop_limit() const noexcept { return hot_loop_limit_; }
    const request_function& on_request() const noexcept { return on_request_; }
    const response_function& on_response() const noexcept { return on_response_; }

private:
    std::string user_agent_;
    warning_function on_warning_;
    std::optional<std::shared_ptr<const object_encoding>> encoding_;
    double rate_ = 0;
    std::uint32_t burst_ = 1;
    std::uint32_t hot_loop_limit_ = 30;
    request_function on_request_;
    response_function on_response_;
};

}  // namespace kcontrol

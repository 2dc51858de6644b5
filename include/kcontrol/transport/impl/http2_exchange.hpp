// A request over HTTP/2 as the transport sees it, and the making of connections that many requests wait for.
#pragma once

#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/transport/impl/client_transport.hpp>
#include <kcontrol/transport/impl/http2_connection.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>

namespace kcontrol::inline v0_1::http::detail {

/// A connection in the making. Requests that meet wait for one, for it may serve all of them.
class http2_attempt {
public:
    explicit http2_attempt(time_point until) : deadline(until) {}

    const time_point deadline;  ///< of the request that began it
    std::stop_source stop;      ///< triggered when nobody waits any more
    async_event done;
    std::size_t waiting = 0;
    bool finished = false;
    std::optional<error> failure;
    std::unique_ptr<connection> http1;  ///< the server chose HTTP/1.1: for one of those who wait
    std::exception_ptr thrown;
};

/// One request and its answer, over one stream at a time.
class http2_exchange final : public http2_stream {
public:
    http2_exchange(std::shared_ptr<client_transport> owner, request&& req, bool is_whole, std::size_t most)
        : http2_stream(std::move(req), is_whole, most),
          transport(std::move(owner)),
          safe(asked.method == "GET" || asked.method == "HEAD") {
        transport->begin_exchange();
    }
    ~http2_exchange() override {
        leave_link();
        transport->end_exchange();
    }

    /// Ends it from this side.
    void give_up(error why) {
        link->abandon(*this);
        failure = std::move(why);
    }

    void again() {
        leave_link();
        reset();
    }

    std::shared_ptr<client_transport> transport;
    std::shared_ptr<http2_connection> link;  ///< null: the request goes over HTTP/1.1
    std::unique_ptr<connection> instead;     ///< then perhaps over this one
    async_event event;
    const bool safe;      ///< GET or HEAD: may be sent again
    bool reused = false;  ///< the connection had served others before

private:
    void changed() override { event.notify_all(); }

    void leave_link() {
        if (!link) return;
        link->abandon(*this);
        transport->keep_few_idle(*link);
        link.reset();
    }
};

/// Room for the next bytes of a body, as long as somebody waits for them.
class http2_room {
public:
    http2_room(http2_stream& of, std::span<char> into) : of_(of) { of_.direct(into); }
    ~http2_room() { of_.direct({}); }
    http2_room(const http2_room&) = delete;
    http2_room& operator=(const http2_room&) = delete;

private:
    http2_stream& of_;
};

/// A place among those who wait for a connection.
class http2_place {
public:
    http2_place(client_transport& of, std::shared_ptr<http2_attempt> at) : of_(of), at_(std::move(at)) {
        ++at_->waiting;
    }
    ~http2_place() {
        if (--at_->waiting != 0 || at_->finished) return;
        if (of_.attempt == at_) of_.attempt.reset();
        at_->stop.request_stop();
    }
    http2_place(const http2_place&) = delete;
    http2_place& operator=(const http2_place&) = delete;
    http2_attempt& operator*() const noexcept { return *at_; }
    http2_attempt* operator->() const noexcept { return at_.get(); }

private:
    client_transport& of_;
    std::shared_ptr<http2_attempt> at_;
};

/// Sends the request and waits for its answer, or for the head of it where the body is read piece by piece. Its link is
/// null where the server is asked over HTTP/1.1. What is passed by reference is the caller's until then.
inline awaitable<result<std::unique_ptr<http2_exchange>>> open_http2(const std::shared_ptr<client_transport>& self,
                                                                     request& req, const exchange_options& options,
                                                                     time_point deadline, bool whole);

/// The answer; unless it is whole, its body is read from the exchange as it comes.
inline opened_exchange http2_answer_of(std::unique_ptr<http2_exchange> exchange);

}  // namespace kcontrol::http::detail

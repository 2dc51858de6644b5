// From a coroutine to a completion token: one helper for all verbs.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/base/thrown.hpp>
#include <kcontrol/client/client.hpp>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/append.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

namespace kcontrol::inline v0_1::detail {

/// What ends a call from outside: its cancellation slot, and the stop token of its options.
class call_stop {
public:
    explicit call_stop(const std::stop_token& from_options) {
        if (from_options.stop_possible()) link_.emplace(from_options, [this] { source_.request_stop(); });
    }
    void request() { source_.request_stop(); }
    std::stop_token token() const { return source_.get_token(); }

private:
    std::stop_source source_;
    std::optional<std::stop_callback<std::function<void()>>> link_;
};

template <class Result>
using call_handler = boost::asio::any_completion_handler<void(Result)>;

// Begins the verb on the client's executor: what it reads of the client before its first co_await is read there as
// well.
template <class Result, class Options, class Begin>
awaitable<void> run_call(client on, Options options, Begin begin, std::shared_ptr<call_stop> stop, executor ex,
                         call_handler<Result> handler) {
    std::optional<Result> outcome;
    try {
        awaitable<Result> call = begin(on, std::move(options));
        outcome.emplace(co_await std::move(call));
    } catch (...) {
        outcome.emplace(error(errc::unavailable, describe_thrown()));
    }
    // The slot belongs to the caller again before its handler is called.
    auto slot = boost::asio::get_associated_cancellation_slot(handler);
    if (slot.is_connected()) slot.clear();
    stop.reset();
    auto where = boost::asio::get_associated_executor(handler, ex);
    boost::asio::dispatch(where, boost::asio::append(std::move(handler), std::move(*outcome)));
}

template <class Result>
void connect_slot(const std::shared_ptr<call_stop>& stop, const call_handler<Result>& handler) {
    auto slot = boost::asio::get_associated_cancellation_slot(handler);
    if (!slot.is_connected()) return;
    slot.assign([weak = std::weak_ptr(stop)](boost::asio::cancellation_type) {
        if (const auto target = weak.lock()) target->request();
    });
}

/// Begins the call once there is a handler, and not before (a deferred operation may never be started).
template <class Result, class Options, class Begin>
class call_initiation {
public:
    using executor_type = executor;

    call_initiation(client c, Options options, Begin begin)
        : client_(std::move(c)), options_(std::move(options)), begin_(std::move(begin)) {}

    executor_type get_executor() const noexcept { return client_.get_executor(); }

    template <class Handler>
    void operator()(Handler&& handler) {
        auto stop = std::make_shared<call_stop>(options_.stop());
        options_.stop(stop->token());
        call_handler<Result> erased(std::forward<Handler>(handler));
        connect_slot<Result>(stop, erased);
        const executor ex = client_.get_executor();
        boost::asio::co_spawn(ex,
                              run_call<Result>(std::move(client_), std::move(options_), std::move(begin_),
                                               std::move(stop), ex, std::move(erased)),
                              boost::asio::detached);
    }

private:
    client client_;
    Options options_;
    Begin begin_;
};

template <class Result, class Options, class Begin, class Token>
auto async_call(client c, Options options, Begin begin, Token&& token) {
    return boost::asio::async_initiate<Token, void(Result)>(
        call_initiation<Result, Options, Begin>(std::move(c), std::move(options), std::move(begin)), token);
}

}  // namespace kcontrol::detail

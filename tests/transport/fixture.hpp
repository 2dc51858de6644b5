// One context with a server of the library and transports to it, all on this thread and on loopback.
#pragma once

#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/transport/client.hpp>
#include <kcontrol/transport/self_signed.hpp>
#include <kcontrol/transport/server.hpp>

#include "support/has.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>

namespace kcontrol::test {

using namespace std::chrono_literals;
using testing::run;
using testing::start;

/// Members are destroyed in the order that a program would choose: transports, servers, context, environment.
class loopback {
public:
    executor ex() { return context.get_executor(); }

    std::unique_ptr<http::server> serve(http::handler answer, http::server_options options = {},
                                        std::optional<http::server_tls> tls = std::nullopt) {
        auto made = std::make_unique<http::server>(env, ex(), std::move(answer), options);
        const auto listening = made->listen(http::listen_address("127.0.0.1", 0), std::move(tls));
        if (!listening) throw exception(listening.error());
        made->start();
        return made;
    }

    std::shared_ptr<http::transport> connect(std::uint16_t port, http::transport_options options = {}) {
        const auto factory = http::make_transport_factory(env, options);
        return factory(ex(), http::endpoint("http", "127.0.0.1", port), {}).value();
    }

    result<http::response> get(http::transport& to, std::string target, http::exchange_options options = {}) {
        return call(to, http::request("GET", std::move(target)), std::move(options));
    }

    result<http::response> call(http::transport& to, http::request req, http::exchange_options options = {}) {
        result<http::response> answer = error(errc::unavailable);
        run(context, call_into(to, std::move(req), std::move(options), answer));
        return answer;
    }

    /// Runs the context until `condition` holds; the test's own time limit is the only one.
    template <class Condition>
    void until(Condition condition) {
        context.restart();
        while (!condition()) REQUIRE(context.run_one() != 0);
    }

    system_environment env;
    boost::asio::io_context context;

private:
    static awaitable<void> call_into(http::transport& to, http::request req, http::exchange_options options,
                                     result<http::response>& answer) {
        auto got = co_await to.round_trip(std::move(req), std::move(options));
        answer = std::move(got);
    }
};

inline std::string text_of(const error& e) { return e.what(); }

/// The whole body of a stream, or its error.
inline awaitable<result<std::string>> read_all(http::body_stream& body, duration idle = 1min,
                                               std::stop_token stop = {}) {
    std::string text;
    std::string buffer(1 << 16, '\0');
    for (;;) {
        const auto got = co_await body.read_some(buffer, idle, stop);
        if (!got) co_return got.error();
        if (*got == 0) co_return text;
        text.append(buffer, 0, *got);
    }
}

/// Answers with what it was asked.
inline awaitable<void> echo(http::server_request req, http::responder& out) {
    http::response answer(200, "text/plain", req.method + " " + req.target + "\n" + req.body);
    answer.headers.set("X-Agent", std::string(req.headers.get("User-Agent")));
    answer.headers.set("X-Subject", req.client_subject);
    (void)co_await out.send(std::move(answer));
}

}  // namespace kcontrol::test

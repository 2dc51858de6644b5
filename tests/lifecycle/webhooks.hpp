// The webhook server, as what starts and stops; see simulated.hpp.
#pragma once

#include <kcontrol/transport/self_signed.hpp>
#include <kcontrol/webhook/webhook_server.hpp>

#include "lifecycle/real.hpp"

#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

namespace kcontrol::test {

class webhook_server_life : public real {
public:
    static constexpr bool awaits = true;
    static constexpr int share = 20;

    webhook_server_life() {
        const auto added = webhooks_.add("/here", [this](webhook_call) { return answer(); });
        static_cast<void>(added);
    }

    void start(std::stop_token = {}) {
        if (begun_ == done_) stop_ = std::stop_source();
        ++begun_;
        asio::co_spawn(ex(), run(stop_.get_token()), asio::detached);
    }
    awaitable<void> stop() {
        stop_.request_stop();
        const int last = begun_;
        while (done_ < last) co_await ended_.wait(env(), {}, env().now() + 1min);
    }
    bool works() {
        if (!until([this] { return webhooks_.ready().has_value(); })) return false;
        http::tls_options how;
        how.ca_pem(authority_.cert_pem());
        const auto made = http::make_transport_factory(env())(
            ex(), http::endpoint("https", "127.0.0.1", webhooks_.local_port()), how);
        const auto status = std::make_shared<std::optional<int>>();
        asio::co_spawn(ex(), ask(made.value(), status), asio::detached);
        return until([&] { return status->has_value(); }) && **status == 200;
    }

private:
    awaitable<void> run(std::stop_token stop) {
        const auto outcome = co_await webhooks_.run(std::move(stop));
        static_cast<void>(outcome);  // refused while it runs
        ++done_;
        ended_.notify_all();
    }
    awaitable<http::response> answer() {
        co_await call_awaited();
        co_return http::response(200, "text/plain", "here");
    }
    static awaitable<void> ask(std::shared_ptr<http::transport> to, std::shared_ptr<std::optional<int>> status) {
        http::request asked("POST", "/here");
        asked.headers.set("Content-Type", "application/json");
        http::exchange_options options;
        options.deadline(real_stage::patience);
        auto got = co_await to->round_trip(std::move(asked), options);
        status->emplace(got ? got->status : 0);
    }
    http::server_tls issue() {
        const auto names = http::certificate_options(env().wall_now()).common_name("webhooks").ip("127.0.0.1");
        auto pair = authority_.issue(names).value();
        return {std::move(pair.cert_pem), std::move(pair.key_pem)};
    }
    webhook_server_options options() {
        webhook_tls tls([this]() -> result<http::server_tls> { return certificate_; }, {});
        return webhook_server_options()
            .address(http::listen_address("127.0.0.1", 0))
            .tls(std::move(tls))
            .shutdown_delay(duration::zero())
            .drain_timeout(1s);  // measures: what is still open then need not end well
    }

    http::certificate_authority authority_ =
        http::certificate_authority::create(http::certificate_options(env().wall_now())).value();
    http::server_tls certificate_ = issue();
    webhook_server webhooks_{env(), ex(), options()};
    std::stop_source stop_;
    async_event ended_;
    int begun_ = 0, done_ = 0;
};

}  // namespace kcontrol::test

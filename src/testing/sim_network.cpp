#include <kcontrol/testing/sim_network.hpp>

#include "testing/sim_exchange.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>
#include <cstring>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

awaitable<void> serve_exchange(environment& env, std::shared_ptr<sim_exchange> exchange, http::handler handler,
                               http::server_request request, duration delay) {
    const wake reason = co_await sleep_for(env, delay, exchange->gone.get_token());
    if (reason == wake::stopped) co_return;
    sim_responder responder(env, exchange);
    co_await handler(std::move(request), responder);
    responder.finish();
}

// Waits until `exchange` has what the client wants to look at.
template <class Ready>
awaitable<result<void>> await_exchange(environment& env, std::shared_ptr<sim_exchange> exchange, Ready ready,
                                       time_point deadline, std::stop_token stop) {
    while (true) {
        if (stop.stop_requested()) co_return error(errc::stopped);
        if (ready(*exchange)) co_return result<void>();
        if (exchange->broken) co_return error(*exchange->broken);
        const wake reason = co_await exchange->for_client.wait(env, stop, deadline);
        if (reason == wake::timeout) co_return error(errc::timeout, "no answer within the deadline");
    }
}

bool has_head(const sim_exchange& e) { return e.head.has_value(); }
bool has_end(const sim_exchange& e) { return e.ended; }
bool has_bytes_or_end(const sim_exchange& e) { return !e.unread().empty() || e.ended; }

awaitable<result<std::string>> whole_body(environment& env, std::shared_ptr<sim_exchange> exchange,
                                          http::exchange_options options, time_point deadline) {
    std::string body;
    for (;;) {
        auto ready = co_await await_exchange(env, exchange, &has_bytes_or_end, deadline, options.stop());
        if (!ready) co_return ready.error();
        const auto bytes = exchange->unread();
        body += bytes;
        exchange->take(bytes.size());
        exchange->for_server.notify_all();
        if (body.size() > options.max_body()) co_return error(errc::too_large);
        if (exchange->ended) co_return body;
    }
}

}  // namespace

class sim_body final : public http::body_stream {
public:
    sim_body(sim_context& context, environment& env, std::shared_ptr<sim_exchange> exchange)
        : context_(&context), env_(&env), exchange_(std::move(exchange)) {}
    ~sim_body() override { exchange_->gone.request_stop(); }

    awaitable<result<std::size_t>> read_some(std::span<char> into, duration idle, std::stop_token stop) override {
        auto ready = co_await await_exchange(*env_, exchange_, &has_bytes_or_end, env_->now() + idle, stop);
        if (!ready) co_return ready.error();
        const auto bytes = exchange_->unread();
        if (bytes.empty()) co_return std::size_t{0};
        const std::size_t most = std::min(into.size(), bytes.size());
        const std::size_t slice = 1 + static_cast<std::size_t>(context_->random() % most);
        std::memcpy(into.data(), bytes.data(), slice);
        exchange_->take(slice);
        exchange_->for_server.notify_all();
        co_return slice;
    }

private:
    sim_context* context_;
    environment* env_;
    std::shared_ptr<sim_exchange> exchange_;
};

}  // namespace detail

class sim_transport final : public http::transport {
public:
    sim_transport(sim_network& network, std::string host) : network_(&network), host_(std::move(host)) {}

    awaitable<result<http::opened_exchange>> open(http::request req, http::exchange_options options) override {
        if (options.form() == http::exchange_form::websocket) co_return http::no_websockets();
        const time_point deadline = network_->env_->now() + options.deadline();
        const bool replayable = req.method == "GET" || req.method == "HEAD";
        auto begun = co_await begin(std::move(req), deadline, options.stop());
        if (!begun) co_return begun.error();
        const auto exchange = *begun;
        if (options.form() == http::exchange_form::whole) {
            auto body = co_await detail::whole_body(*network_->env_, exchange, options, deadline);
            exchange->gone.request_stop();
            if (!body) co_return lost(body.error(), replayable);
            http::opened_exchange answer(*exchange->head);
            answer.body = std::move(*body);
            co_return answer;
        }
        auto ready =
            co_await detail::await_exchange(*network_->env_, exchange, &detail::has_head, deadline, options.stop());
        if (!ready) {
            exchange->gone.request_stop();
            co_return ready.error();
        }
        http::opened_exchange out(*exchange->head);
        out.stream = std::make_unique<detail::sim_body>(*network_->context_, *network_->env_, exchange);
        co_return out;
    }

    void close() override { closed_ = true; }

private:
    static error lost(const error& why, bool replayable) {
        if (replayable || why == errc::stopped || why == errc::too_large) return why;
        return error(errc::unknown_outcome, "the answer to a write was lost (" + why.what() + ")");
    }

    awaitable<result<std::shared_ptr<detail::sim_exchange>>> begin(http::request req, time_point deadline,
                                                                   std::stop_token stop) {
        if (closed_) co_return error(errc::unavailable, "the transport is closed");
        if (stop.stop_requested()) co_return error(errc::stopped);
        const auto found = network_->hosts_.find(host_);
        if (found == network_->hosts_.end()) co_return error(errc::name_not_found, host_);
        auto& host = found->second;
        if (host.link == link_state::refused) {
            co_await sleep_for(*network_->env_, network_->latency(host_), stop);
            co_return error(errc::connection_refused, host_ + ": connection refused");
        }
        auto exchange = std::make_shared<detail::sim_exchange>();
        if (host.link == link_state::black_hole) {
            auto never = co_await detail::await_exchange(*network_->env_, exchange, &detail::has_end, deadline, stop);
            co_return never.error();
        }
        ++host.requests;
        std::erase_if(host.exchanges, [](const auto& weak) { return weak.expired(); });
        host.exchanges.push_back(exchange);
        http::server_request arriving;
        static_cast<http::request&>(arriving) = std::move(req);
        arriving.peer = "simulated";
        asio::co_spawn(host.ex,
                       detail::serve_exchange(*network_->env_, exchange, host.handler, std::move(arriving),
                                              network_->latency(host_)),
                       asio::detached);
        co_return exchange;
    }

    sim_network* network_;
    std::string host_;
    bool closed_ = false;
};

sim_network::sim_network(sim_context& context, sim_environment& env) : context_(&context), env_(&env) {}

sim_network::~sim_network() = default;

void sim_network::listen(const std::string& host, executor ex, http::handler handler) {
    auto& entry = hosts_[host];
    entry.ex = std::move(ex);
    entry.handler = std::move(handler);
}

void sim_network::set_link(const std::string& host, link_state state) { hosts_.at(host).link = state; }

void sim_network::set_latency(const std::string& host, duration least, duration most) {
    auto& entry = hosts_.at(host);
    entry.latency_min = least;
    entry.latency_max = most;
}

duration sim_network::latency(const std::string& host) {
    const auto& entry = hosts_.at(host);
    const auto spread = static_cast<std::uint64_t>((entry.latency_max - entry.latency_min).count()) + 1;
    return entry.latency_min + duration(static_cast<duration::rep>(context_->random() % spread));
}

std::vector<std::shared_ptr<detail::sim_exchange>> sim_network::live(const std::string& host) const {
    std::vector<std::shared_ptr<detail::sim_exchange>> out;
    for (const auto& weak : hosts_.at(host).exchanges) {
        auto exchange = weak.lock();
        if (exchange && !exchange->gone.stop_requested()) out.push_back(std::move(exchange));
    }
    return out;
}

void sim_network::break_connections(const std::string& host) {
    for (const auto& exchange : live(host)) exchange->break_with(errc::connection_lost);
}

void sim_network::freeze_connections(const std::string& host) {
    for (const auto& exchange : live(host)) {
        exchange->frozen = true;
        exchange->for_server.notify_all();
    }
}

void sim_network::truncate_connections(const std::string& host) {
    for (const auto& exchange : live(host)) exchange->break_with(errc::truncated);
}

std::uint64_t sim_network::requests(const std::string& host) const { return hosts_.at(host).requests; }

std::size_t sim_network::open_exchanges(const std::string& host) const { return live(host).size(); }

http::transport_factory sim_network::factory() {
    return [this](executor, const http::endpoint& to,
                  const http::tls_options&) -> result<std::shared_ptr<http::transport>> {
        return std::shared_ptr<http::transport>(std::make_shared<sim_transport>(*this, to.host));
    };
}

}  // namespace kcontrol::testing

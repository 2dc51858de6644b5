// One request and its answer on the simulated network, as both sides and the faults see it.
#pragma once

#include <kcontrol/http/handler.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::testing::detail {

struct sim_exchange {
    // What the client has been able to see of the answer.
    std::optional<http::response_head> head;
    std::string bytes;  // of the body; those before `taken` have been read
    std::size_t taken = 0;
    bool ended = false;                // the body is complete
    std::optional<error_code> broken;  // nothing more will come
    bool frozen = false;               // half-open: the server's side talks into the void

    async_event for_client;  // something of the above changed
    async_event for_server;  // the client took bytes
    std::stop_source gone;   // the client has hung up

    static constexpr std::size_t window = std::size_t{64} * 1024;

    std::string_view unread() const { return std::string_view(bytes).substr(taken); }

    // A body may be large and is read in small slices, so what was read is dropped now and then only.
    void take(std::size_t n) {
        taken += n;
        if (taken * 2 < bytes.size()) return;
        bytes.erase(0, taken);
        taken = 0;
    }

    void break_with(errc why) {
        if (ended && unread().empty()) return;
        broken = make_error_code(why);
        gone.request_stop();
        for_client.notify_all();
        for_server.notify_all();
    }
};

// The server's side of an exchange.
class sim_responder final : public http::responder {
public:
    sim_responder(environment& env, std::shared_ptr<sim_exchange> exchange)
        : env_(&env), exchange_(std::move(exchange)) {}

    awaitable<result<void>> send(http::response answer) override {
        if (exchange_->broken) co_return error(errc::connection_lost);
        if (exchange_->frozen) co_return result<void>();
        exchange_->head = static_cast<const http::response_head&>(answer);
        exchange_->bytes = std::move(answer.body);
        exchange_->ended = true;
        exchange_->for_client.notify_all();
        co_return result<void>();
    }

    awaitable<result<void>> start(http::response_head head) override {
        if (exchange_->broken) co_return error(errc::connection_lost);
        if (exchange_->frozen) co_return result<void>();
        exchange_->head = std::move(head);
        exchange_->for_client.notify_all();
        co_return result<void>();
    }

    awaitable<result<void>> write(std::string piece) override {
        while (!exchange_->broken && !exchange_->frozen && !exchange_->gone.stop_requested() &&
               exchange_->unread().size() > sim_exchange::window) {
            co_await exchange_->for_server.wait(*env_, exchange_->gone.get_token());
        }
        if (exchange_->broken || exchange_->gone.stop_requested()) co_return error(errc::connection_lost);
        if (exchange_->frozen) co_return result<void>();
        exchange_->bytes += piece;
        exchange_->for_client.notify_all();
        co_return result<void>();
    }

    void abort() override { exchange_->break_with(errc::connection_lost); }
    std::stop_token disconnected() const override { return exchange_->gone.get_token(); }

    // The handler has returned.
    void finish() {
        if (exchange_->broken || exchange_->frozen) return;
        if (!exchange_->head) return exchange_->break_with(errc::connection_lost);
        exchange_->ended = true;
        exchange_->for_client.notify_all();
    }

private:
    environment* env_;
    std::shared_ptr<sim_exchange> exchange_;
};

}  // namespace kcontrol::testing::detail

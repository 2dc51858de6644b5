// A responder that keeps what it is given, can stall like a peer that does not read, and can go away.
#pragma once

#include <kcontrol/http/handler.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace training_monitor::tests {

class fake_responder final : public kcontrol::http::responder {
public:
    explicit fake_responder(kcontrol::environment& env) : env_(env) {}

    kcontrol::awaitable<kcontrol::result<void>> send(kcontrol::http::response answer) override {
        head = answer;
        body = std::move(answer.body);
        co_return kcontrol::result<void>();
    }
    kcontrol::awaitable<kcontrol::result<void>> start(kcontrol::http::response_head h) override {
        head = std::move(h);
        co_return kcontrol::result<void>();
    }
    kcontrol::awaitable<kcontrol::result<void>> write(std::string piece) override {
        while (stalled && !gone_.stop_requested()) co_await resume.wait(env_, gone_.get_token());
        if (gone_.stop_requested()) co_return kcontrol::error(kcontrol::errc::connection_lost);
        body += piece;
        ++pieces;
        co_return kcontrol::result<void>();
    }
    void abort() override {}
    std::stop_token gone() const override { return gone_.get_token(); }

    void go_away() { gone_.request_stop(); }
    std::string take() { return std::exchange(body, {}); }

    kcontrol::http::response_head head;
    std::string body;
    int pieces = 0;
    bool stalled = false;
    kcontrol::async_event resume;

private:
    kcontrol::environment& env_;
    std::stop_source gone_;
};

}  // namespace training_monitor::tests

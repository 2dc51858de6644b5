// A responder that keeps what it is given, can stall like a peer that does not read, and can go away.
#pragma once

#include <kcontrol/http/handler.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::test {

class fake_responder final : public http::responder {
public:
    explicit fake_responder(environment& env) : env_(env) {}

    awaitable<result<void>> send(http::response answer) override {
        head = answer;
        body = std::move(answer.body);
        co_return result<void>();
    }
    awaitable<result<void>> start(http::response_head h) override {
        head = std::move(h);
        co_return result<void>();
    }
    awaitable<result<void>> write(std::string piece) override {
        while (stalled && !gone_.stop_requested()) co_await resume.wait(env_, gone_.get_token());
        if (gone_.stop_requested()) co_return error(errc::connection_lost);
        body += piece;
        ++pieces;
        co_return result<void>();
    }
    void abort() override {}
    std::stop_token gone() const override { return gone_.get_token(); }

    void go_away() { gone_.request_stop(); }
    std::string take() { return std::exchange(body, {}); }

    http::response_head head;
    std::string body;
    int pieces = 0;
    bool stalled = false;
    async_event resume;

private:
    environment& env_;
    std::stop_source gone_;
};

}  // namespace kcontrol::test

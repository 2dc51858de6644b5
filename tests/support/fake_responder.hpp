// A responder that can stall like a peer that does not read.
#pragma once

#include <kcontrol/runtime/wait.hpp>

#include "support/recording_responder.hpp"

#include <string>
#include <utility>

namespace kcontrol::test {

class fake_responder final : public recording_responder {
public:
    explicit fake_responder(environment& env) : env_(env) {}

    awaitable<result<void>> write(std::string piece) override {
        while (stalled && !gone_.stop_requested()) co_await resume.wait(env_, gone_.get_token());
        if (gone_.stop_requested()) co_return error(errc::connection_lost);
        body += piece;
        ++pieces;
        co_return result<void>();
    }

    void abort() override {
        recording_responder::abort();
        go_away();
    }

    std::string take() { return std::exchange(body, {}); }

    int pieces = 0;
    bool stalled = false;
    async_event resume;

private:
    environment& env_;
};

}  // namespace kcontrol::test

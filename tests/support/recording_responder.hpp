// A responder that keeps what it is given.
#pragma once

#include <kcontrol/http/handler.hpp>

#include <cstddef>
#include <stop_token>
#include <string>
#include <utility>

namespace kcontrol::test {

/// write() is left to those who say what a peer does with a stream.
class recording_responder : public http::responder {
public:
    awaitable<result<void>> send(http::response answer) override {
        head = answer;
        body = std::move(answer.body);
        co_return result<void>();
    }
    awaitable<result<void>> start(http::response_head h) override {
        head = std::move(h);
        co_return result<void>();
    }
    void abort() override { aborted = true; }
    std::stop_token disconnected() const override { return gone_.get_token(); }
    void go_away() { gone_.request_stop(); }
    void admit() override { admitted = true; }
    bool holds(std::size_t bytes) override {
        if (bytes > room) return false;
        held = bytes;
        return true;
    }

    http::response_head head;
    std::string body;
    bool aborted = false;
    bool admitted = false;
    std::size_t room = static_cast<std::size_t>(-1);  ///< for what handlers keep
    std::size_t held = 0;

protected:
    std::stop_source gone_;
};

}  // namespace kcontrol::test

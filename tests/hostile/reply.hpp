// What a hostile server does with one request, as data: a head, pieces of a body with pauses, and an end.
#pragma once

#include <kcontrol/http/message.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::test {

class reply {
public:
    enum class end { proper, broken, silent };
    /// One part of a body, sent `times` times; before each there is a pause.
    class piece {
    public:
        piece(std::function<std::string(std::uint64_t)> m, std::uint64_t n, duration p)
            : make(std::move(m)), times(n), pause(p) {}
        std::function<std::string(std::uint64_t)> make;
        std::uint64_t times;
        duration pause;
    };

    /// A whole answer.
    static reply whole(int status, std::string body, std::string type = "application/json") {
        reply out = stream(std::move(type));
        out.head_.status = status;
        return out.send(std::move(body));
    }
    /// A Status, as API servers answer; `details` is JSON.
    static reply failure(int code, std::string_view reason, std::string_view message, std::string_view details = "{}") {
        return whole(code, status_text(code, reason, message, details));
    }
    static reply stream(std::string type = "application/json") {
        reply out;
        if (!type.empty()) out.head_.headers.set("Content-Type", std::move(type));
        return out;
    }
    /// No answer: the connection breaks.
    static reply drop() {
        reply out;
        out.answers_ = false;
        return out.breaks();
    }
    /// No answer, ever.
    static reply nothing() {
        reply out;
        out.answers_ = false;
        return out.hangs();
    }

    static std::string status_text(int code, std::string_view reason, std::string_view message,
                                   std::string_view details = "{}") {
        return R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":")" +
               std::string(message) + R"(","reason":")" + std::string(reason) + R"(","details":)" +
               std::string(details) + R"(,"code":)" + std::to_string(code) + "}";
    }

    reply& header(std::string_view name, std::string value) { return head_.headers.add(name, std::move(value)), *this; }
    reply& after(duration d) { return delay_ = d, *this; }
    reply& send(std::string text) { return repeat(std::move(text), 1); }
    reply& pause(duration d) {
        return pieces_.emplace_back([](std::uint64_t) { return std::string(); }, 1, d), *this;
    }
    /// The same text again and again.
    reply& repeat(std::string text, std::uint64_t times, duration every = duration::zero()) {
        return make([t = std::move(text)](std::uint64_t) { return t; }, times, every);
    }
    /// Another text each time.
    reply& make(std::function<std::string(std::uint64_t)> text, std::uint64_t times,
                duration every = duration::zero()) {
        return pieces_.emplace_back(std::move(text), times, every), *this;
    }
    reply& breaks() { return end_ = end::broken, *this; }
    reply& hangs() { return end_ = end::silent, *this; }

    const http::response_head& head() const noexcept { return head_; }
    bool answers() const noexcept { return answers_; }
    duration delay() const noexcept { return delay_; }
    const std::vector<piece>& pieces() const noexcept { return pieces_; }
    end how() const noexcept { return end_; }

private:
    http::response_head head_{200};
    bool answers_ = true;
    duration delay_{0};
    std::vector<piece> pieces_;
    end end_ = end::proper;
};

}  // namespace kcontrol::test

// A program's web face before a script: what the browser tests (tests/browser) drive. Every line on standard input is
// one step, a JSON object with "op"; each is answered with a line on standard output once it is done, so that a test
// knows that the page's turn has come. The first line printed is {"port":N}. Steps that every face has:
//
//   answer       answers a path with this status and body, whatever the program would say; status 0: as before
//   down, up     stops listening and ends every connection; listens at the same port again
//   mute, unmute connections stay open but carry nothing, as when a machine on the way fails; goes on
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/transport/server.hpp>

#include "step.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <csignal>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <unistd.h>

/// What is between the program and the browser: canned answers, and a line that goes dead.
class line {
public:
    explicit line(kcontrol::environment& env) : env_(env) {}

    void answer(const std::string& path, int status, std::string body) {
        canned_.erase(path);
        if (status != 0) canned_.emplace(path, kcontrol::http::response(status, "application/json", std::move(body)));
    }
    void mute(bool on) {
        muted_ = on;
        resume_.notify_all();
    }
    kcontrol::http::handler wrap(kcontrol::http::handler inner) {
        return
            [this, inner = std::move(inner)](kcontrol::http::server_request request, kcontrol::http::responder& out) {
                return serve(inner, std::move(request), out);
            };
    }

private:
    class wire final : public kcontrol::http::responder {
    public:
        wire(line& owner, kcontrol::http::responder& inner) : owner_(owner), inner_(inner) {}
        kcontrol::awaitable<kcontrol::result<void>> send(kcontrol::http::response answer) override {
            co_await owner_.unmuted(inner_.disconnected());
            auto sent = co_await inner_.send(std::move(answer));
            co_return sent;
        }
        kcontrol::awaitable<kcontrol::result<void>> start(kcontrol::http::response_head head) override {
            co_await owner_.unmuted(inner_.disconnected());
            auto sent = co_await inner_.start(std::move(head));
            co_return sent;
        }
        kcontrol::awaitable<kcontrol::result<void>> write(std::string piece) override {
            co_await owner_.unmuted(inner_.disconnected());
            auto sent = co_await inner_.write(std::move(piece));
            co_return sent;
        }
        void abort() override { inner_.abort(); }
        std::stop_token disconnected() const override { return inner_.disconnected(); }
        void admit() override { inner_.admit(); }
        bool holds(std::size_t bytes) override { return inner_.holds(bytes); }

    private:
        line& owner_;
        kcontrol::http::responder& inner_;
    };

    kcontrol::awaitable<void> unmuted(std::stop_token gone) {
        while (muted_ && !gone.stop_requested()) co_await resume_.wait(env_, gone);
    }

    kcontrol::awaitable<void> serve(kcontrol::http::handler inner, kcontrol::http::server_request request,
                                    kcontrol::http::responder& out) {
        const std::string path(kcontrol::http::split_target(request.target).first);
        wire between(*this, out);
        const auto canned = canned_.find(path);
        if (canned != canned_.end()) {
            auto copy = canned->second;
            const auto sent = co_await between.send(std::move(copy));
            static_cast<void>(sent);
        } else {
            co_await inner(std::move(request), between);
        }
    }

    kcontrol::environment& env_;
    std::map<std::string, kcontrol::http::response> canned_;
    bool muted_ = false;
    kcontrol::async_event resume_;
};

/// Object lifetime: the environment, the context and the handler outlive it.
class scripted_server {
public:
    scripted_server(kcontrol::environment& env, boost::asio::io_context& context, kcontrol::http::handler handler)
        : line_(env), server_(env, context.get_executor(), line_.wrap(std::move(handler))) {}
    virtual ~scripted_server() = default;

    kcontrol::result<void> listen() {
        auto listening = server_.listen({"127.0.0.1", port_});
        if (!listening) return listening;
        server_.start();
        port_ = server_.local_port();
        return {};
    }

    kcontrol::awaitable<void> run(boost::asio::posix::stream_descriptor& input) {
        std::printf("{\"port\":%u}\n", static_cast<unsigned>(port_));
        std::fflush(stdout);
        std::string buffer;
        for (;;) {
            boost::system::error_code failure;
            const auto length = co_await boost::asio::async_read_until(
                input, boost::asio::dynamic_buffer(buffer), '\n',
                boost::asio::redirect_error(boost::asio::use_awaitable, failure));
            if (failure) break;
            auto parsed = kcontrol::json::parse(std::string_view(buffer).substr(0, length - 1));
            std::string answer = "error: not a JSON object";
            if (parsed && parsed->is_object()) {
                auto step_of = any_step(std::move(parsed->as_object()));
                answer = co_await std::move(step_of);
            }
            buffer.erase(0, length);
            std::printf("%s\n", answer.c_str());
            std::fflush(stdout);
        }
        // Those who read the stream hold on to the hub; they end before it does.
        line_.mute(false);
        co_await server_.stop();
    }

protected:
    /// Does a step of this face's own. Returns what is answered, or nothing: there is no such step.
    virtual std::optional<std::string> step(const std::string& op, const kcontrol::json::object& at) = 0;

private:
    kcontrol::awaitable<std::string> any_step(kcontrol::json::object at) {
        const std::string op = text(at, "op");
        if (op == "answer") {
            line_.answer(text(at, "path"), static_cast<int>(number(at, "status")), text(at, "body"));
        } else if (op == "down") {
            co_await server_.stop();
        } else if (op == "up") {
            const auto listening = listen();
            if (!listening) co_return "error: " + listening.error().message();
        } else if (op == "mute" || op == "unmute") {
            line_.mute(op == "mute");
        } else {
            co_return step(op, at).value_or("error: no such op: " + op);
        }
        co_return std::string("ok");
    }

    line line_;
    kcontrol::http::server server_;
    std::uint16_t port_ = 0;
};

/// Serves until standard input ends. Returns the exit status.
inline int serve_script(boost::asio::io_context& context, scripted_server& server) {
    std::signal(SIGPIPE, SIG_IGN);
    const auto listening = server.listen();
    if (!listening) {
        std::fprintf(stderr, "scripted server: %s\n", listening.error().message().c_str());
        return 1;
    }
    boost::asio::posix::stream_descriptor input(context, ::dup(STDIN_FILENO));
    int status = 0;
    boost::asio::co_spawn(context, server.run(input), [&](std::exception_ptr failure) {
        if (failure) status = 1;
        context.stop();
    });
    context.run();
    return status;
}

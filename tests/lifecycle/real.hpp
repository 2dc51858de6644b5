// What starts and stops with the system's own sockets, files and programs; see simulated.hpp.
#pragma once

#include <kcontrol/serve/event_stream.hpp>
#include <kcontrol/serve/router.hpp>
#include <kcontrol/testing/local_api_server.hpp>
#include <kcontrol/testing/temporary_directory.hpp>
#include <kcontrol/transport/client.hpp>
#include <kcontrol/transport/server.hpp>

#include "lifecycle/stage.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kcontrol::test {

class real : public real_stage {
public:
    static constexpr bool has_parent = false;
    static constexpr bool calls = true;
    static constexpr bool awaits = false;
    static constexpr int share = 1;

    void tidy() {}

    std::function<void()> inside;
    std::function<awaitable<void>()> awaited;

protected:
    void call() {
        if (!inside) return;
        const auto once = std::exchange(inside, nullptr);
        once();
    }
    awaitable<void> call_awaited() {
        call();
        if (!awaited) co_return;
        const auto once = std::exchange(awaited, nullptr);
        co_await once();
    }

    // One request on a connection of its own.
    bool get(std::uint16_t port, const std::string& target) {
        const auto made = http::make_transport_factory(env())(ex(), http::endpoint("http", "127.0.0.1", port), {});
        const auto answer = std::make_shared<std::optional<result<http::response>>>();
        asio::co_spawn(ex(), ask(made.value(), target, answer), asio::detached);
        return until([&] { return answer->has_value(); }) && (*answer)->has_value();
    }

private:
    static awaitable<void> ask(std::shared_ptr<http::transport> to, std::string target,
                               std::shared_ptr<std::optional<result<http::response>>> answer) {
        http::exchange_options options;
        options.deadline(real_stage::patience);
        auto got = co_await to->round_trip(http::request("GET", target), options);
        answer->emplace(std::move(got));
    }
};

class server_life : public real {
public:
    static constexpr bool awaits = true;

    void start(std::stop_token = {}) {
        if (const auto listening = server_.listen(http::listen_address("127.0.0.1", 0))) server_.start();
    }
    awaitable<void> stop() { return server_.stop(); }
    bool works() { return get(server_.local_port(), "/"); }

private:
    awaitable<void> answer(http::responder& out) {
        co_await call_awaited();
        const auto sent = co_await out.send(http::response(200, "text/plain", "here"));
        static_cast<void>(sent);
    }
    http::server server_{env(), ex(), [this](http::server_request, http::responder& out) { return answer(out); }};
};

class event_stream_life : public real {
public:
    static constexpr int share = 10;

    void start(std::stop_token = {}) {
        if (const auto listening = server_.listen(http::listen_address("127.0.0.1", 0))) server_.start();
    }
    awaitable<void> stop() { return server_.stop(); }
    bool works() {
        text_.clear();
        const auto made =
            http::make_transport_factory(env())(ex(), http::endpoint("http", "127.0.0.1", server_.local_port()), {});
        std::stop_source enough;
        const auto read = ending::of(*this, listen(made.value(), enough.get_token()));
        // A client is one once its stream has begun.
        if (!until([this] { return stream_.clients() != 0; })) return false;
        const std::string id = std::to_string(++number_);
        settle();
        stream_.publish("data: " + id + "\n\n");
        const bool got = until([&] { return text_.find("data: " + id + "\n") != std::string::npos; });
        call();
        enough.request_stop();
        return until([&] { return static_cast<bool>(read) && stream_.clients() == 0; }) && got;
    }

private:
    awaitable<void> listen(std::shared_ptr<http::transport> to, std::stop_token stop) {
        http::exchange_options options;
        options.stop(stop);
        auto opened = co_await to->open_stream(http::request("GET", "/"), options);
        if (!opened) co_return;
        std::string buffer(4096, '\0');
        for (;;) {
            const auto got = co_await opened->body->read_some(buffer, 1min, stop);
            if (!got || *got == 0) co_return;
            text_.append(buffer, 0, *got);
        }
    }
    awaitable<void> serve(http::responder& out) { co_await stream_.serve(out, http::event_stream_head()); }

    std::string text_;
    int number_ = 0;
    http::event_stream stream_{env()};
    http::server server_{env(), ex(), [this](http::server_request, http::responder& out) { return serve(out); }};
};

class local_api_server_life : public real {
public:
    static constexpr bool calls = false;

    void start(std::stop_token = {}) {
        const auto started = server_.start();
        static_cast<void>(started);  // refused while it runs
    }
    awaitable<void> stop() { return server_.stop(); }
    bool works() { return get(server_.port(), "/api/v1/namespaces/default/pods"); }
    void tidy() { server_.api().request_log().clear(); }

private:
    testing::local_api_server server_{env(), ex(), {}, false};
};

class directory_watch_life : public real {
public:
    void start(std::stop_token = {}) {
        watch_->start([this] {
            ++calls_;
            call();
        });
    }
    awaitable<void> stop() {
        watch_->stop();
        co_return;
    }
    bool works() {
        settle();  // what it may be told of the time before
        const int before = calls_;
        dir_.write("file", std::to_string(before));
        return until([&] { return calls_ > before; });
    }

private:
    testing::temporary_directory dir_;
    int calls_ = 0;
    std::unique_ptr<directory_watch> watch_ = env().watch_directory(ex(), dir_.path("")).value();
};

/// Programs that are run, stopped and run again.
class process_life : public real {
public:
    static constexpr bool calls = false;
    static constexpr int share = 50;

    void start(std::stop_token = {}) {
        if (running_) return;
        running_ = true;
        stop_ = std::stop_source();
        ++runs_;
        asio::co_spawn(ex(), run(stop_.get_token()), asio::detached);
    }
    awaitable<void> stop() {
        stop_.request_stop();
        const int number = runs_;
        while (running_ && runs_ == number) co_await ended_.wait(env(), {});
    }
    bool works() {
        const auto echoed = std::make_shared<std::string>();
        asio::co_spawn(ex(), echo(env(), echoed), asio::detached);
        return running_ && until([&] { return *echoed == "hello"; });
    }

private:
    awaitable<void> run(std::stop_token stop) {
        process_command command({"/bin/sleep", "600"});
        command.stop(stop).deadline(10min);
        const auto outcome = co_await env().run_process(command);
        running_ = false;
        ended_.notify_all();
        static_cast<void>(outcome);
    }
    static awaitable<void> echo(environment& env, std::shared_ptr<std::string> into) {
        process_command command({"/bin/cat"});
        command.input("hello");
        const auto outcome = co_await env.run_process(command);
        if (outcome) *into = outcome->output;
    }

    bool running_ = false;
    int runs_ = 0;
    async_event ended_;
    std::stop_source stop_;
};

}  // namespace kcontrol::test

// Name servers that do not answer: this program's getaddrinfo() hangs for names under "stuck.test".
#include "transport/fixture.hpp"

#include <condition_variable>
#include <dlfcn.h>
#include <mutex>
#include <netdb.h>

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

// Where look-ups hang until they are let go.
class gate {
public:
    void pass() {
        std::unique_lock lock(mutex_);
        ++entered_;
        changed_.notify_all();
        changed_.wait(lock, [&] { return open_; });
        ++left_;
        changed_.notify_all();
    }
    void close() {
        const std::lock_guard lock(mutex_);
        open_ = false;
        entered_ = left_ = 0;
    }
    /// Lets all go and waits until they went.
    void open() {
        std::unique_lock lock(mutex_);
        open_ = true;
        changed_.notify_all();
        changed_.wait(lock, [&] { return left_ == entered_; });
    }
    int entered() {
        const std::lock_guard lock(mutex_);
        return entered_;
    }
    int left() {
        const std::lock_guard lock(mutex_);
        return left_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool open_ = true;
    int entered_ = 0, left_ = 0;
};

gate& stuck() {
    static auto* const one = new gate;  // look-ups may outlive everything
    return *one;
}

}  // namespace

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** found) {
    using function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
    if (node != nullptr && std::string_view(node).ends_with("stuck.test")) {
        stuck().pass();
        node = "127.0.0.1";
    }
    static const auto real = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "getaddrinfo"));
    return real(node, service, hints, found);
}

TEST_CASE("a name that nobody resolves costs its own callers their time, no other host's, and not the end") {
    stuck().close();
    {
        loopback net;
        const auto server = net.serve(echo);
        const auto factory = http::make_transport_factory(net.env, http::transport_options().connect_timeout(1h));
        const auto to = [&](const std::string& host) {
            return factory(net.ex(), http::endpoint("http", host, server->local_port()), {}).value();
        };
        const auto hanging = to("api.stuck.test");
        std::stop_source stop;
        int stopped = 0;
        for (int i = 0; i < 3; ++i) {
            start(net.context, [](http::transport& t, std::stop_token token, int& count) -> awaitable<void> {
                const auto got =
                    co_await t.round_trip(http::request("GET", "/"), http::exchange_options().deadline(1h).stop(token));
                if (got.error() == errc::stopped) ++count;
            }(*hanging, stop.get_token(), stopped));
        }
        CHECK(net.get(*to("localhost"), "/").has_value());
        CHECK(net.get(*to("127.0.0.1"), "/").has_value());
        stop.request_stop();
        net.until([&] { return stopped == 3; });
        const auto late = net.get(*hanging, "/", http::exchange_options().deadline(20ms));
        CHECK(late.error() == errc::timeout);
        CHECK_MESSAGE(has(text_of(late.error()), "\"api.stuck.test\""), late.error().what());
        CHECK(stuck().entered() == 1);  // they all wait for the same look-up
    }
    CHECK(stuck().left() == 0);
    stuck().open();
}

TEST_CASE("a look-up that outlasts its caller serves the next one") {
    stuck().close();
    loopback net;
    const auto server = net.serve(echo);
    const auto factory = http::make_transport_factory(net.env, http::transport_options().connect_timeout(1h));
    const auto client = factory(net.ex(), http::endpoint("http", "api.stuck.test", server->local_port()), {}).value();
    CHECK(net.get(*client, "/", http::exchange_options().deadline(20ms)).error() == errc::timeout);
    std::optional<result<http::response>> answer;
    start(net.context, [](http::transport& t, auto& out) -> awaitable<void> {
        auto got = co_await t.round_trip(http::request("GET", "/"), http::exchange_options().deadline(1h));
        out.emplace(std::move(got));
    }(*client, answer));
    net.context.restart();
    net.context.poll();
    stuck().open();
    net.until([&] { return answer.has_value(); });
    CHECK(answer->has_value());
    CHECK(stuck().entered() == 1);
    CHECK(net.get(*client, "/").has_value());
}

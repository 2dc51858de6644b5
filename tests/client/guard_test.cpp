// client::guarded(): each try of a write asks first.
#include <kcontrol/client/pod_exec.hpp>
#include <kcontrol/client/port_forward.hpp>
#include <kcontrol/client/subresource.hpp>

#include "client/fake_websocket.hpp"
#include "fixture.hpp"

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

namespace {

const std::string shut = "writes are fenced by the deadline";

struct guard_fixture : client_fixture {
    write_guard guard() {
        return [this]() -> result<duration> {
            ++asked;
            if (left > 0s) return left;
            return error(errc::not_leading, shut);
        };
    }
    duration left = 10s;
    int asked = 0;
};

/// WebSockets that note how long each write may take.
class timed_sockets final : public http::transport, public std::enable_shared_from_this<timed_sockets> {
public:
    std::shared_ptr<std::vector<duration>> times = std::make_shared<std::vector<duration>>();

    http::transport_factory factory() {
        return [self = shared_from_this()](executor, const http::endpoint&, const http::tls_options&) {
            return result<std::shared_ptr<http::transport>>(self);
        };
    }
    awaitable<result<http::opened_exchange>> open(http::request, http::exchange_options) override {
        http::opened_exchange out(http::response(101));
        out.socket = std::make_unique<socket>(times);
        co_return out;
    }
    void close() override {}

private:
    class socket final : public http::websocket {
    public:
        explicit socket(std::shared_ptr<std::vector<duration>> to) : times_(std::move(to)) {}
        awaitable<result<http::websocket_piece>> read_some(std::span<char>, duration, std::stop_token) override {
            return make_ready<result<http::websocket_piece>>(error(errc::unavailable));
        }
        awaitable<result<void>> write(std::string_view, std::string_view, duration time, std::stop_token) override {
            times_->push_back(time);
            return make_ready(result<void>());
        }
        awaitable<void> close(duration) override { co_return; }

    private:
        std::shared_ptr<std::vector<duration>> times_;
    };
};

}  // namespace

TEST_CASE_FIXTURE(guard_fixture, "a guarded client sends no write that its guard refuses, and asks for no read") {
    net->expect(std::string("GET ") + widgets_path + "/a").reply(200, widget_json("a"));
    client c = connect().guarded(guard());
    left = 0s;
    const auto created = await(c.create(widgets(), make_widget("default", "a"), {}));
    const auto updated = await(c.update(widgets(), make_widget("default", "a"), {}));
    const auto patched =
        await(c.patch(widgets(), {"default", "a"}, "application/merge-patch+json", R"({"spec":{"size":1}})", {}));
    const auto applied = await(c.apply(widgets(), make_widget("default", "a"), apply_options("me")));
    const auto removed = await(c.delete_(widgets(), {"default", "a"}, {}));
    const auto emptied = await(c.delete_collection(widgets(), {}, {}));
    auto parts = c.subresource(widgets(), "part");
    const auto made = await(parts.create(widgets(), {"default", "a"}, make_widget("", ""), {}));
    for (const error& why : {created.error(), updated.error(), patched.error(), applied.error(), removed.error(),
                             emptied.error(), made.error()}) {
        CHECK(why == errc::not_leading);
        CHECK(why.message() == shut);
        CHECK_FALSE(why == condition::retryable);
    }
    CHECK(asked == 7);
    CHECK(net->sent().empty());
    CHECK(await(c.get(widgets(), {"default", "a"}, get_options())).has_value());
    CHECK(asked == 7);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(guard_fixture, "a write that passes is waited for no longer than the guard says") {
    net->expect(std::string("POST ") + widgets_path).reply(201, widget_json("a"));
    net->expect(std::string("POST ") + widgets_path).reply(201, widget_json("a"));
    client c = connect().guarded(guard());
    CHECK(await(c.create(widgets(), make_widget("default", "a"), {})).has_value());
    CHECK(net->deadlines().back() == 10s);  // of its own 30 s
    left = 50s;
    CHECK(await(c.create(widgets(), make_widget("default", "a"), {})).has_value());
    CHECK(net->deadlines().back() == 30s);
    CHECK(c.load().writes == 2);
    net->expect(std::string("POST ") + widgets_path).reply(201, widget_json("a"));
    client twice = c.guarded([]() -> result<duration> { return 5s; });
    CHECK(await(twice.create(widgets(), make_widget("default", "a"), {})).has_value());
    CHECK(net->deadlines().back() == 5s);
    CHECK(asked == 3);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(guard_fixture, "a try that comes after the first asks again") {
    const std::string too_many = R"({"kind":"Status","code":429,"reason":"TooManyRequests","message":"slow down"})";
    net->expect(std::string("POST ") + widgets_path).reply(429, too_many).header("Retry-After", "2");
    client unguarded = connect();
    client c = unguarded.guarded([this, end = env.now() + 1s]() -> result<duration> {
        if (env.now() < end) return end - env.now();
        return error(errc::not_leading, shut);
    });
    const auto created = await(c.create(widgets(), make_widget("default", "a"), {}));
    REQUIRE_FALSE(created);
    CHECK(created.error() == errc::not_leading);
    CHECK(net->verify());
    // The one that it was made from is as it was.
    net->expect(std::string("POST ") + widgets_path).reply(201, widget_json("a"));
    CHECK(await(unguarded.create(widgets(), make_widget("default", "a"), {})).has_value());
    CHECK(unguarded.load().writes == 1);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(guard_fixture, "what a guard refuses, for whatever reason, is neither counted, traced nor told") {
    std::size_t heard = 0, spans = 0;
    client_options hooks;
    hooks.on_response([&](const http::request&, const request_outcome&) { ++heard; });
    const trace_parent parent([&](const trace_span&) { ++spans; }, "id-1");
    client c = connect().with(hooks).traced(parent);
    for (const errc why : {errc::not_leading, errc::unavailable, errc::limit_exceeded}) {
        client refused = c.guarded([why]() -> result<duration> { return error(why, shut); });
        CHECK(await(refused.create(widgets(), make_widget("default", "a"), {})).error() == why);
        CHECK(await(refused.raw_stream(http::request("POST", "/exec"), {})).error() == why);
        CHECK(await(refused.raw_websocket(http::request("GET", "/exec"), {})).error() == why);
    }
    CHECK(net->sent().empty());
    CHECK(c.requests().requests.empty());
    CHECK(heard == 0);
    CHECK(spans == 0);
    // What was sent is, whatever the transport calls its failure.
    net->expect(std::string("POST ") + widgets_path).fail(errc::not_leading);
    CHECK(await(c.create(widgets(), make_widget("default", "a"), {})).error() == errc::not_leading);
    CHECK(c.requests().requests.at({"POST", request_counts::no_response}) == 1);
    CHECK(heard == 1);
    CHECK(spans == 1);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(guard_fixture, "a stream that may change something asks its guard; a log does not") {
    client c = connect().guarded(guard());
    left = 0s;
    net->expect("GET /log").stream({"one"});
    net->expect("HEAD /log").stream({});
    CHECK(await(c.raw_stream(http::request("GET", "/log"), {})).has_value());
    CHECK(await(c.raw_stream(http::request("HEAD", "/log"), {})).has_value());
    CHECK(asked == 0);
    const auto sent = net->sent().size();
    for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
        CHECK(await(c.raw_stream(http::request(method, "/exec"), {})).error() == errc::not_leading);
    }
    http::request upgrade("GET", "/exec");
    upgrade.headers.set("Upgrade", "SPDY/3.1");
    CHECK(await(c.raw_stream(upgrade, {})).error() == errc::not_leading);
    CHECK(await(c.raw(upgrade, {})).error() == errc::not_leading);
    CHECK(asked == 6);
    CHECK(net->sent().size() == sent);
    left = 10s;
    net->expect("POST /exec").stream({"done"});
    CHECK(await(c.raw_stream(http::request("POST", "/exec"), {})).has_value());
    CHECK(net->deadlines().back() == 10s);  // of its own 30 s
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(guard_fixture, "what a command or a port is sent asks, too; what they say is read all the same") {
    const auto peers = std::make_shared<fake_websockets>(env);
    auto made = client::connect(env, context.get_executor(), config, peers->factory(), log);
    client c = made.value().guarded(guard());
    const namespaced_name pod("default", "web");
    left = 0s;
    CHECK(await(open_exec(c, pod, {"cat"}, exec_options())).error() == errc::not_leading);
    CHECK(await(open_attach(c, pod, exec_options())).error() == errc::not_leading);
    CHECK(await(open_port(c, pod, 80)).error() == errc::not_leading);
    CHECK(peers->sent().empty());

    left = 10s;
    const auto end = peers->accept("v5.channel.k8s.io");
    auto command = await(open_exec(c, pod, {"cat"}, exec_options().input())).value();
    const auto far = peers->accept("v4.channel.k8s.io");
    auto port = await(open_port(c, pod, 80)).value();
    CHECK(await(command.write("one", {})).has_value());
    CHECK(await(port.write("one", {})).has_value());
    REQUIRE(end->written.size() == 1);
    REQUIRE(far->written.size() == 1);
    left = 0s;  // somebody else leads
    CHECK(await(command.write("two", {})).error() == errc::not_leading);
    CHECK(await(command.resize(80, 25, {})).error() == errc::not_leading);
    CHECK(await(command.close_input({})).error() == errc::not_leading);
    CHECK(await(port.write("two", {})).error() == errc::not_leading);
    CHECK(end->written.size() == 1);
    CHECK(far->written.size() == 1);
    end->push("\x01still here");
    const auto heard = await(command.next({}));
    REQUIRE(heard.has_value());
    CHECK(heard->value().bytes == "still here");
    CHECK_FALSE(end->gone);
}

TEST_CASE_FIXTURE(guard_fixture, "what a command is sent is waited for no longer than the guard says") {
    const auto peers = std::make_shared<timed_sockets>();
    client c = client::connect(env, context.get_executor(), config, peers->factory(), log).value().guarded(guard());
    auto opened = await(c.raw_websocket(http::request("GET", "/exec"), {})).value();
    CHECK(await(opened.socket->write("a", "b", duration::zero(), {})).has_value());  // for ever
    CHECK(await(opened.socket->write("a", "b", 3s, {})).has_value());
    CHECK(await(opened.socket->write("a", "b", 30s, {})).has_value());
    CHECK(*peers->times == std::vector<duration>{10s, 3s, 10s});
}

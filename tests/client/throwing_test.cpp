// A transport, its factory or a decoding function of the program's own that throws: an error of the call, no more.
#include "client/fixture.hpp"
#include "support/throws.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

enum class place { round_trip, open_stream, read, none };

class throwing_body final : public http::body_stream {
public:
    throwing_body(std::function<void()> f) : fail_(std::move(f)) {}
    awaitable<result<std::size_t>> read_some(std::span<char>, duration, std::stop_token) override {
        co_await boost::asio::this_coro::executor;
        fail_();
        co_return std::size_t{0};
    }

private:
    std::function<void()> fail_;
};

// Throws at a place, once it is awaited or before that already.
class throwing_transport final : public http::transport {
public:
    throwing_transport(place at, thrown what, bool at_once) : at_(at), what_(what), at_once_(at_once) {}

    awaitable<result<http::opened_exchange>> open(http::request, http::exchange_options options) override {
        const bool streamed = options.form() == http::exchange_form::streamed;
        if (at_once_) fail(streamed ? place::open_stream : place::round_trip);
        return streamed ? open_body() : answer();
    }
    void close() override { throw_it(what_); }

private:
    void fail(place at) const {
        if (at == at_) throw_it(what_);
    }
    awaitable<result<http::opened_exchange>> answer() {
        co_await boost::asio::this_coro::executor;
        fail(place::round_trip);
        co_return http::response(500);
    }
    awaitable<result<http::opened_exchange>> open_body() {
        co_await boost::asio::this_coro::executor;
        fail(place::open_stream);
        http::opened_exchange out(http::response_head(200));
        out.headers.set("Content-Type", "application/json");
        out.stream = std::make_unique<throwing_body>([this] { fail(place::read); });
        co_return out;
    }

    place at_;
    thrown what_;
    bool at_once_;
};

awaitable<result<void>> read_watch(client c) {
    auto opened = co_await c.watch(widgets(), {});
    if (!opened) co_return opened.error();
    const auto next = co_await (*opened)->next({});
    if (!next) co_return next.error();
    co_return result<void>();
}

result<any_object> throw_at_name(const resource_info& info, json::node from, share_pool* pool) {
    const std::string name(from["metadata"]["name"].as_string());
    if (name == "exception") throw_it(thrown::runtime_error);
    if (name == "int") throw_it(thrown::an_int);
    return decode_widget(info, from, pool);
}

}  // namespace

TEST_CASE_FIXTURE(client_fixture, "a transport that throws is an error of the call") {
    for (const thrown what : all_thrown) {
        for (const bool at_once : {false, true}) {
            const auto connect_to = [&](place at) {
                const auto factory = [&, at](executor, const http::endpoint&, const http::tls_options&) {
                    const auto made = std::make_shared<throwing_transport>(at, what, at_once);
                    return result<std::shared_ptr<http::transport>>(made);
                };
                return client::connect(env, context.get_executor(), config, factory, log).value();
            };
            const std::string text = std::string("the transport threw: ") + text_of(what);
            const auto got = await(connect_to(place::round_trip).get(widgets(), {"default", "a"}, {}));
            REQUIRE_FALSE(got);
            CHECK(got.error() == errc::callback_failed);
            CHECK(got.error().what() == text);
            const auto listed = await(connect_to(place::open_stream).list_page(widgets(), {}));
            REQUIRE_FALSE(listed);
            CHECK(listed.error().what() == text);
            const auto read = await(connect_to(place::read).list_page(widgets(), {}));
            REQUIRE_FALSE(read);
            CHECK(read.error() == errc::callback_failed);
            CHECK(read.error().what() == std::string("the body of the transport's answer threw: ") + text_of(what));
            const auto watched = await(read_watch(connect_to(place::read)));
            REQUIRE_FALSE(watched);
            CHECK(watched.error() == errc::callback_failed);
            auto c = connect_to(place::none);
            logged.clear();
            CHECK_NOTHROW(c.close());
            REQUIRE(logged.size() == 1);
            CHECK(logged[0] == std::string("close() of the transport threw error=") + text_of(what));
        }
    }
}

TEST_CASE_FIXTURE(client_fixture, "a transport factory that throws is an error of connect()") {
    for (const thrown what : all_thrown) {
        const auto factory = [what](executor, const http::endpoint&,
                                    const http::tls_options&) -> result<std::shared_ptr<http::transport>> {
            throw_it(what);
        };
        const auto made = client::connect(env, context.get_executor(), config, factory, log);
        REQUIRE_FALSE(made);
        CHECK(made.error() == errc::callback_failed);
        CHECK(made.error().what() ==
              std::string("https://api.test:6443: the transport factory threw: ") + text_of(what));
    }
}

TEST_CASE_FIXTURE(client_fixture, "a decoding function that throws spoils its object and no other") {
    const resource_info info({"example.com", "v1", "Widget"}, "widgets", resource_scope::namespaced, throw_at_name,
                             encode_widget);
    client c = connect();
    net->expect("GET " + std::string(widgets_path))
        .reply(200, R"({"kind":"WidgetList","metadata":{"resourceVersion":"9"},"items":[)" + widget_json("exception") +
                        "," + widget_json("sound") + "," + widget_json("int") + "]}");
    const auto listed = await(c.list_page(info, list_options().in_namespace("default")));
    REQUIRE(listed.has_value());
    REQUIRE(listed->items.size() == 1);
    CHECK(listed->items[0].meta().name == "sound");
    REQUIRE(listed->invalid.size() == 2);
    CHECK(listed->invalid[0].why == errc::decode_failed);
    CHECK(listed->invalid[0].why.what() == "the function that decodes Widget threw: boom");
    CHECK(listed->invalid[1].why.what() ==
          "the function that decodes Widget threw: an exception that is no std::exception");

    net->expect("GET " + std::string(widgets_path) + "/int").reply(200, widget_json("int"));
    const auto got = await(c.get(info, {"default", "int"}, {}));
    REQUIRE_FALSE(got);
    CHECK(got.error() == errc::decode_failed);
}

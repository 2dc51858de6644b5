// What a client does where a connection that it kept breaks under a request: reads go out once more, writes never.
#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/codec/dynamic_object.hpp>

#include "transport/fixture.hpp"
#include "transport/raw_peer.hpp"

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

const std::string object = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"d",)"
                           R"("resourceVersion":"1"},"items":[]})";

std::string answer(const std::string& body) {
    return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
}

enum class verb {
    get,
    list,
    watch,
    read_stream,
    create,
    update,
    patch,
    apply,
    remove,
    remove_all,
    write,
    write_stream
};
constexpr verb reads[] = {verb::get, verb::list, verb::watch, verb::read_stream};
constexpr verb writes[] = {verb::create, verb::update,     verb::patch, verb::apply,
                           verb::remove, verb::remove_all, verb::write, verb::write_stream};

template <class T>
awaitable<error> end_of(awaitable<result<T>> call) {
    const auto got = co_await std::move(call);
    if (!got) co_return got.error();
    co_return error();
}

awaitable<error> ask(client& c, verb what) {
    static const resource_info maps = dynamic_resource({"", "v1", "ConfigMap"}, "configmaps");
    static const any_object map = [] {
        json::document text;
        return maps.decode(text.parse(object).value(), nullptr).value();
    }();
    const namespaced_name key("d", "a");
    switch (what) {
    case verb::get: return end_of(c.get(maps, key, {}));
    case verb::list: return end_of(c.list_page(maps, list_options().in_namespace("d")));
    case verb::watch: return end_of(c.watch(maps, watch_options().in_namespace("d")));
    case verb::read_stream: return end_of(c.raw_stream(http::request("GET", "/log"), {}));
    case verb::create: return end_of(c.create(maps, map, {}));
    case verb::update: return end_of(c.update(maps, map, {}));
    case verb::patch: return end_of(c.patch(maps, key, merge_patch_type, "{}", {}));
    case verb::apply: return end_of(c.apply(maps, key, "{}", apply_options("me")));
    case verb::remove: return end_of(c.delete_(maps, key, {}));
    case verb::remove_all: return end_of(c.delete_collection(maps, list_options().in_namespace("d"), {}));
    case verb::write: return end_of(c.raw(http::request("POST", "/x"), {}));
    default: return end_of(c.raw_stream(http::request("POST", "/x"), {}));
    }
}

class kept_connection : public loopback {
public:
    /// A client with one connection that has served a request.
    client begin(const raw_server& server) {
        auth::cluster_config config;
        config.server(http::endpoint("http", "127.0.0.1", server.port()));
        auto made = client::connect(env, ex(), config, http::make_transport_factory(env)).value();
        REQUIRE(!end(made, verb::get).code());
        REQUIRE(server.connections() == 1);
        return made;
    }
    error end(client& c, verb what) {
        error out;
        run(context, [](client& with, verb which, error& to) -> awaitable<void> {
            to = co_await ask(with, which);
        }(c, what, out));
        return out;
    }
};

}  // namespace

TEST_CASE("a read whose kept connection breaks goes out once more, on a new one, and once only") {
    for (const auto how : {step::close, step::reset}) {
        for (const verb what : reads) {
            CAPTURE(static_cast<int>(what));
            kept_connection net;
            raw_server server(net.context, {step(answer(object)), step("", how), step(answer(object))});
            client c = net.begin(server);
            const error end = net.end(c, what);
            CHECK_MESSAGE(!end.code(), end.what());
            CHECK(server.requests() == 3);
            CHECK(server.connections() == 2);

            raw_server worse(net.context, {step(answer(object)), step("", how), step("", how), step(answer(object))});
            client again = net.begin(worse);
            CHECK(net.end(again, what) == errc::connection_lost);
            CHECK(worse.requests() == 3);
        }
    }
}

TEST_CASE("a write whose kept connection breaks is not repeated: nobody knows what became of it") {
    for (const auto how : {step::close, step::reset}) {
        for (const verb what : writes) {
            CAPTURE(static_cast<int>(what));
            kept_connection net;
            raw_server server(net.context, {step(answer(object)), step("", how), step(answer(object))});
            client c = net.begin(server);
            const error end = net.end(c, what);
            CHECK_MESSAGE(end == errc::unknown_outcome, end.what());
            CHECK(has(text_of(end), "127.0.0.1"));
            CHECK(server.requests() == 2);
            // What comes next goes out as ever.
            CHECK(!net.end(c, verb::get).code());
            CHECK(server.requests() == 3);
        }
    }
}

TEST_CASE("a read that breaks on a connection of its own is not repeated, and none after a byte of its answer") {
    for (const verb what : reads) {
        CAPTURE(static_cast<int>(what));
        kept_connection net;
        raw_server fresh(net.context, {step("", step::close), step(answer(object))});
        auth::cluster_config config;
        config.server(http::endpoint("http", "127.0.0.1", fresh.port()));
        auto c = client::connect(net.env, net.ex(), config, http::make_transport_factory(net.env)).value();
        CHECK(net.end(c, what) == errc::connection_lost);
        CHECK(fresh.requests() == 1);

        raw_server begun(net.context, {step(answer(object)), step("HTTP/1.1 2", step::close), step(answer(object))});
        client kept = net.begin(begun);
        CHECK(net.end(kept, what) == errc::truncated);
        CHECK(begun.requests() == 2);
    }
}

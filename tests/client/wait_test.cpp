// retry_watcher, wait_until(), until(), delete_and_wait(): waiting for what becomes of objects.
#include <kcontrol/client/retry_watcher.hpp>
#include <kcontrol/client/wait_until.hpp>
#include <kcontrol/codec/codec.hpp>

#include "config_map.hpp"
#include "fixture.hpp"

#include <stdexcept>

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

const std::string one = "GET /api/v1/namespaces/default/configmaps?fieldSelector=metadata.name%3Da";
const std::string watch_one = "GET /api/v1/namespaces/default/configmaps?watch=true&resourceVersion=";
constexpr const char* expired = R"({"kind":"Status","code":410,"reason":"Expired","message":"old"})";
const namespaced_name key{"default", "a"};

std::string map_json(const std::string& version, const std::string& value = "", const std::string& uid = "u") {
    return R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"default","uid":")" + uid +
           R"(","resourceVersion":")" + version + R"("},"data":{"k":")" + value + R"("}})";
}

std::string list_of(const std::string& version, const std::string& items) {
    return R"({"kind":"ConfigMapList","metadata":{"resourceVersion":")" + version + R"("},"items":[)" + items + "]}";
}

std::string event(const std::string& type, const std::string& object) {
    return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

std::string bookmark(const std::string& version) {
    return event("BOOKMARK", R"({"metadata":{"resourceVersion":")" + version + R"("}})");
}

bool is_done(const config_map* map) { return map != nullptr && map->data.contains("k") && map->data.at("k") == "done"; }

}  // namespace

TEST_CASE_FIXTURE(client_fixture, "watch with a type") {
    net->expect("GET /api/v1/configmaps?watch=true&*")
        .stream({event("ADDED", map_json("5", "v")), event("DELETED", R"({"metadata":{"name":7}})"), bookmark("9")});
    client c = connect();
    auto stream = await(c.watch<config_map>());
    REQUIRE(stream.has_value());
    const auto added = await(stream->next({}));
    REQUIRE(added.has_value());
    CHECK(added->type == watch_event_type::added);
    CHECK(added->object->data.at("k") == "v");
    const auto broken = await(stream->next({}));
    CHECK(broken->object == nullptr);
    CHECK(broken->invalid != nullptr);
    CHECK(await(stream->next({}))->resource_version == "9");
    CHECK(await(stream->next({}))->type == watch_event_type::end);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "retry_watcher: goes on where a watch ended, whatever ended it") {
    const auto at = [](const char* version) { return watch_one + version + "&*"; };
    net->expect(at("5")).stream({event("ADDED", map_json("6")), bookmark("8")});
    net->expect(at("8")).fail(errc::connection_refused);
    net->expect(at("8")).stream({event("MODIFIED", map_json("9"))}, stream_end::truncated);
    net->expect(at("9")).reply(503, "{}");
    net->expect(at("9")).stream({event("ERROR", R"({"kind":"Status","code":500,"reason":"InternalError"})")});
    net->expect(at("9")).stream({event("DELETED", map_json("10"))});
    net->expect(at("10")).stream({event("ERROR", expired)});
    retry_watcher watch(connect(), resource_of<config_map>(),
                        watch_options().in_namespace("default").resource_version("5"));
    std::string seen;
    const auto began = env.now();
    for (;;) {
        const auto next = await(watch.next({}));
        if (!next) {
            CHECK(next.error() == condition::expired);
            break;
        }
        seen += next->resource_version + " ";
    }
    CHECK(seen == "6 9 10 ");
    CHECK(watch.resource_version() == "10");
    CHECK(env.now() - began > std::chrono::seconds(5));  // it does not hammer
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "retry_watcher: what it does not mend") {
    const auto next_of = [&](const char* version, std::stop_token stop = {}) {
        retry_watcher watch(connect(), resource_of<config_map>(), watch_options().resource_version(version));
        return await(watch.next(stop));
    };
    for (const char* version : {"", "0"}) CHECK(next_of(version).error() == errc::invalid_argument);
    net->expect("GET *").reply(403, R"({"kind":"Status","code":403,"reason":"Forbidden"})");
    CHECK(next_of("5").error() == condition::access_denied);
    net->expect("GET *").reply(404, "404 page not found\n", "text/plain");
    CHECK(next_of("5").error() == condition::not_found);
    net->expect("GET *").reply(410, expired);
    CHECK(next_of("5").error() == condition::expired);
    std::stop_source stopped;
    stopped.request_stop();
    CHECK(next_of("5", stopped.get_token()).error() == errc::stopped);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "retry_watcher: a server that ends each watch at once is not hammered") {
    for (int i = 0; i < 4; ++i) net->expect("GET *").stream({});
    net->expect("GET *").hang();
    retry_watcher watch(connect(), resource_of<config_map>(), watch_options().resource_version("5"));
    const auto began = env.now();
    watch.give_up_at(began + std::chrono::seconds(40));
    CHECK(await(watch.next({})).error() == errc::timeout);
    CHECK(env.now() - began == std::chrono::seconds(40));
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "retry_watcher: waits as long as the server asks, once per answer") {
    const auto at = [](const char* version) { return watch_one + version + "&*"; };
    net->expect(at("5")).reply(429, "{}").header("Retry-After", "20");
    net->expect(at("5")).reply(503, "{}").header("Retry-After", "1");
    net->expect(at("5")).stream({event("ADDED", map_json("6"))});
    retry_watcher watch(connect(), resource_of<config_map>(),
                        watch_options().in_namespace("default").resource_version("5"));
    const auto before = env.now();
    REQUIRE(await(watch.next({})).has_value());
    CHECK(env.now() - before >= std::chrono::seconds(22));  // 20, then a backoff that has grown to 2
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "wait_until: now, after events, and over a version that expired") {
    client c = connect();
    net->expect(one).reply(200, list_of("5", map_json("4", "done")));
    const auto at_once = await(wait_until<config_map>(c, key, is_done));
    REQUIRE(at_once.has_value());
    CHECK((*at_once)->metadata.resource_version == "4");

    net->expect(one).reply(200, list_of("5", ""));
    net->expect(watch_one + "5&*").stream({event("ADDED", map_json("6")), event("ERROR", expired)});
    net->expect(one).fail(errc::connection_lost);
    net->expect(one).reply(200, list_of("20", map_json("7")));
    net->expect(watch_one + "20&*").stream({event("MODIFIED", map_json("21", "done"))});
    const auto later = await(wait_until<config_map>(c, key, is_done));
    REQUIRE(later.has_value());
    CHECK((*later)->metadata.resource_version == "21");
    CHECK(net->sent().back().target.find("fieldSelector=metadata.name%3Da") != std::string::npos);

    // Its absence may be what is waited for.
    net->expect(one).reply(200, list_of("5", map_json("4")));
    net->expect(watch_one + "5&*").stream({event("DELETED", map_json("6"))});
    const auto gone = await(wait_until<config_map>(c, key, [](const config_map* map) { return map == nullptr; }));
    REQUIRE(gone.has_value());
    CHECK(*gone == nullptr);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "wait_until: its deadline says how it was last, and its stop token ends it") {
    client c = connect();
    const auto ask = [&](std::stop_token stop = {}) {
        return await(
            wait_until<config_map>(c, key, is_done, wait_options().deadline(std::chrono::seconds(20)).stop(stop)));
    };
    const auto began = env.now();
    net->expect(one).reply(200, list_of("5", map_json("4")));
    net->expect(watch_one + "5&*").stream({event("MODIFIED", map_json("6"))}, stream_end::open);
    const auto late = ask();
    REQUIRE(!late.has_value());
    CHECK(late.error() == errc::timeout);
    CHECK(late.error().message() ==
          "ConfigMap default/a: what is waited for did not come in time; the object is at version 6");
    CHECK(env.now() - began == std::chrono::seconds(20));

    net->expect(one).reply(200, list_of("5", ""));
    net->expect(watch_one + "5&*").stream({}, stream_end::open);
    CHECK(ask().error().message().ends_with("there is no such object"));

    for (int i = 0; i < 20; ++i) net->expect(one).fail(errc::connection_refused, "nobody listens");
    const auto unreachable = ask();
    CHECK(unreachable.error() == errc::timeout);
    CHECK(unreachable.error().message().find("the last failure: nobody listens") != std::string::npos);
    CHECK(net->remaining_steps() > 5);  // the pauses grow
    while (net->remaining_steps() > 0) (void)ask();

    std::stop_source stop;
    net->expect(one).reply(200, list_of("5", ""));
    net->expect(watch_one + "5&*").stream({}, stream_end::open);
    std::optional<result<std::shared_ptr<const config_map>>> out;
    start(context, keep_outcome(wait_until<config_map>(c, key, is_done, wait_options().stop(stop.get_token())), out));
    manual_environment::run_ready(context);
    CHECK(!out.has_value());
    stop.request_stop();
    manual_environment::run_ready(context);
    REQUIRE(out.has_value());
    CHECK(out->error() == errc::stopped);
}

TEST_CASE_FIXTURE(client_fixture, "wait_until: what waiting does not mend") {
    client c = connect();
    net->expect(one).reply(403, R"({"kind":"Status","code":403,"reason":"Forbidden"})");
    CHECK(await(wait_until<config_map>(c, key, is_done)).error() == condition::access_denied);
    net->expect(one).reply(200, list_of("5", R"({"metadata":{"name":"a"},"data":7})"));
    CHECK(await(wait_until<config_map>(c, key, is_done)).error() == errc::decode_failed);
    net->expect(one).reply(200, list_of("5", map_json("4")));
    const auto threw =
        await(wait_until<config_map>(c, key, [](const config_map*) -> bool { throw std::runtime_error("mine"); }));
    CHECK(threw.error() == errc::callback_failed);
    CHECK(threw.error().message().find("mine") != std::string::npos);
    CHECK(await(wait_until<config_map>(c, {"", "a"}, is_done)).error() == errc::invalid_argument);
    CHECK(await(wait_until<config_map>(c, {"default", ".."}, is_done)).error() == errc::invalid_argument);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "until: an event after a version") {
    client c = connect();
    const auto from = watch_options().in_namespace("default").resource_version("5");
    net->expect(watch_one + "5&*").stream({event("ADDED", map_json("6"))});
    net->expect(watch_one + "6&*").stream({event("MODIFIED", map_json("7", "done"))});
    const auto done = [](const object_event<config_map>& e) { return is_done(e.object.get()); };
    const auto met = await(until<config_map>(c, from, done));
    REQUIRE(met.has_value());
    CHECK(met->type == watch_event_type::modified);
    CHECK(met->resource_version == "7");

    net->expect(watch_one + "5&*").stream({}, stream_end::open);
    CHECK(await(until<config_map>(c, from, done)).error() == errc::timeout);
    net->expect(watch_one + "5&*").reply(410, expired);
    CHECK(await(until<config_map>(c, from, done)).error() == condition::expired);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "delete_and_wait: until it is gone, or another one stands in its place") {
    const std::string path = "/api/v1/namespaces/default/configmaps/a";
    const std::string body = R"({"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u"}})";
    client c = connect();
    net->expect("GET " + path).reply(200, map_json("4"));
    net->expect("DELETE " + path).with_body(body).reply(200, map_json("5"));  // finalizers hold it
    net->expect(one).reply(200, list_of("5", map_json("5")));
    net->expect(watch_one + "5&*").stream({event("MODIFIED", map_json("6")), event("DELETED", map_json("7"))});
    CHECK(await(delete_and_wait<config_map>(c, key)).has_value());

    net->expect("GET " + path).reply(200, map_json("4"));
    net->expect("DELETE " + path).reply(200, R"({"kind":"Status","status":"Success"})");
    net->expect(one).reply(200, list_of("9", map_json("8", "", "another")));
    CHECK(await(delete_and_wait<config_map>(c, key)).has_value());
    // It was deleted, and made again, between the two.
    net->expect("GET " + path).reply(200, map_json("4"));
    net->expect("DELETE " + path).reply(409, R"({"kind":"Status","code":409,"reason":"Conflict"})");
    CHECK(await(delete_and_wait<config_map>(c, key)).has_value());

    net->expect("GET " + path).reply(404, R"({"kind":"Status","code":404,"reason":"NotFound"})");
    CHECK(await(delete_and_wait<config_map>(c, key)).error() == condition::not_found);
    net->expect("GET " + path).reply(404, R"({"kind":"Status","code":404,"reason":"NotFound"})");
    CHECK(await(delete_and_wait<config_map>(c, key, delete_options().ignore_not_found())).has_value());
    net->expect("GET " + path).reply(200, map_json("4"));
    net->expect("DELETE " + path).reply(409, R"({"kind":"Status","code":409,"reason":"Conflict"})");
    CHECK(await(delete_and_wait<config_map>(c, key, delete_options().precondition_uid("x"))).error() ==
          condition::conflict);
    net->expect("GET " + path).reply(200, map_json("4"));
    net->expect("DELETE " + path).reply(200, map_json("4"));
    CHECK(await(delete_and_wait<config_map>(c, key, delete_options().dry_run())).has_value());

    net->expect("GET " + path).reply(200, map_json("4"));
    net->expect("DELETE " + path).reply(200, map_json("5"));
    net->expect(one).reply(200, list_of("5", map_json("5")));
    net->expect(watch_one + "5&*").stream({}, stream_end::open);
    CHECK(await(delete_and_wait<config_map>(c, key)).error() == errc::timeout);
    CHECK(net->verify());
}

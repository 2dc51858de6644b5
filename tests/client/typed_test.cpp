#include <kcontrol/client/async.hpp>
#include <kcontrol/codec/codec.hpp>

#include "config_map.hpp"
#include "fixture.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/use_future.hpp>

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

const std::string path = "/api/v1/namespaces/default/configmaps";

std::string json_of(const std::string& value, const std::string& version = "5") {
    return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default","uid":"u",)"
           R"("resourceVersion":")" +
           version + R"("},"data":{"k":")" + value + R"("},"binaryData":{"unknown":"AA=="}})";
}

config_map a_map(const std::string& value) { return *from_json<config_map>(json_of(value)); }

}  // namespace

TEST_CASE_FIXTURE(client_fixture, "typed verbs") {
    client c = connect();
    net->expect("GET " + path + "/a").reply(200, json_of("one"));
    const auto got = await(c.get<config_map>({"default", "a"}));
    REQUIRE(got.has_value());
    CHECK(got->data.at("k") == "one");
    CHECK(got->metadata.resource_version == "5");

    net->expect("GET " + path)
        .reply(200, R"({"kind":"ConfigMapList","metadata":{"resourceVersion":"9"},"items":[)" + json_of("x") + "]}");
    const auto listed = await(c.list<config_map>(list_options().in_namespace("default")));
    REQUIRE(listed.has_value());
    REQUIRE(listed->size() == 1);
    CHECK(listed->front()->data.at("k") == "x");

    config_map fresh;
    fresh.metadata.name = "a";
    fresh.metadata.namespace_ = "default";
    fresh.data["k"] = "v";
    net->expect("POST " + path)
        .with_body(
            R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default"},"data":{"k":"v"}})")
        .reply(201, json_of("v"));
    const auto created = await(c.create(fresh));
    REQUIRE(created.has_value());
    CHECK(created->metadata.uid == "u");

    net->expect("PUT " + path + "/a").reply(200, json_of("v", "6"));
    CHECK(await(c.update(*created))->metadata.resource_version == "6");
    CHECK(net->sent().back().body.find(R"("resourceVersion":"5")") != std::string::npos);

    net->expect("DELETE " + path + "/a").reply(200, R"({"kind":"Status","status":"Success"})");
    CHECK(await(c.delete_<config_map>({"default", "a"})).has_value());

    net->expect("GET " + path + "/a").reply(404, R"({"kind":"Status","code":404,"reason":"NotFound"})");
    CHECK(await(c.get<config_map>({"default", "a"})).error() == condition::not_found);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "a patch is what differs, under the version it was made from") {
    client c = connect();
    const config_map snapshot = a_map("one");
    CHECK(await(c.patch(snapshot, snapshot)).has_value());
    CHECK(net->sent().empty());

    config_map edited = snapshot;
    edited.data["k"] = "two";
    net->expect("PATCH " + path + "/a?fieldManager=me").reply(200, json_of("two", "6"));
    const auto patched = await(c.patch(snapshot, edited, write_options().field_manager("me")));
    REQUIRE(patched.has_value());
    CHECK(patched->data.at("k") == "two");
    CHECK(net->sent().back().body.find("two") != std::string::npos);
    CHECK(net->sent().back().body.find("5") != std::string::npos);
    CHECK(net->sent().back().body.find("binaryData") == std::string::npos);
    CHECK(net->sent().back().headers.get("Content-Type").find("-patch+json") != std::string_view::npos);

    const config_map unread;
    CHECK(await(c.patch(unread, edited)).error() == errc::invalid_argument);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "the object is copied when the call is made, not when it runs") {
    client c = connect();
    net->expect("PUT " + path + "/a").reply(200, json_of("v"));
    std::optional<result<config_map>> out;
    {
        auto gone = std::make_unique<config_map>(a_map("kept"));
        start(context, keep_outcome(c.update(*gone), out));
    }
    manual_environment::run_ready(context);
    REQUIRE(out.has_value());
    CHECK(net->sent().back().body.find("kept") != std::string::npos);
}

TEST_CASE_FIXTURE(client_fixture, "callbacks, futures and deferred operations") {
    client c = connect();
    net->expect("GET " + path + "/a").reply(200, json_of("one"));
    std::optional<result<config_map>> out;
    async_get<config_map>(c, {"default", "a"}, {}, [&](result<config_map> r) { out.emplace(std::move(r)); });
    CHECK(!out.has_value());
    manual_environment::run_ready(context);
    REQUIRE(out.has_value());
    CHECK((*out)->data.at("k") == "one");

    net->expect("DELETE " + path + "/a").reply(404, "{}");
    auto future = async_delete<config_map>(c, {"default", "a"}, {}, boost::asio::use_future);
    manual_environment::run_ready(context);
    CHECK(future.get().error() == condition::not_found);

    auto operation = async_list<config_map>(c, {}, boost::asio::deferred);
    manual_environment::run_ready(context);
    const auto sent = net->sent().size();
    net->expect("GET /api/v1/configmaps").reply(200, R"({"metadata":{},"items":[]})");
    std::size_t count = 99;
    std::move(operation)([&](result<std::vector<std::shared_ptr<const config_map>>> r) { count = r->size(); });
    manual_environment::run_ready(context);
    CHECK(net->sent().size() == sent + 1);
    CHECK(count == 0);

    config_map changed = a_map("one");
    for (const char* method : {"POST ", "PUT ", "PATCH "}) {
        net->expect(method + path + (*method == 'P' && method[1] == 'O' ? "" : "/a")).reply(200, json_of("two"));
    }
    int done = 0;
    const auto count_done = [&](result<config_map> r) { done += r->data.at("k") == "two"; };
    async_create(c, changed, {}, count_done);
    manual_environment::run_ready(context);
    async_update(c, changed, {}, count_done);
    manual_environment::run_ready(context);
    changed.data["k"] = "two";
    async_patch(c, a_map("one"), changed, {}, count_done);
    manual_environment::run_ready(context);
    CHECK(done == 3);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "the other verbs with completion tokens") {
    client c = connect();
    net->expect("GET " + path + "/a").reply(200, json_of("one"));
    auto shared = async_get_shared<config_map>(c, {"default", "a"}, {}, boost::asio::use_future);
    manual_environment::run_ready(context);
    CHECK(shared.get().value()->data.at("k") == "one");

    const auto here = list_options().in_namespace("default");
    net->expect("GET " + path).reply(200, R"({"metadata":{"resourceVersion":"9"},"items":[)" + json_of("x") + "]}");
    auto page = async_list_page<config_map>(c, here, boost::asio::use_future);
    manual_environment::run_ready(context);
    CHECK(page.get().value().resource_version == "9");

    net->expect("DELETE " + path).reply(200, R"({"metadata":{},"items":[{"metadata":{"name":"a"}}]})");
    auto gone = async_delete_collection<config_map>(c, here, {}, boost::asio::use_future);
    manual_environment::run_ready(context);
    CHECK(gone.get().value().items.size() == 1);

    std::stop_source source;
    net->expect("DELETE " + path).hang();
    const auto how = delete_options().stop(source.get_token());
    auto stopped = async_delete_collection<config_map>(c, here, how, boost::asio::use_future);
    manual_environment::run_ready(context);
    source.request_stop();
    manual_environment::run_ready(context);
    CHECK(stopped.get().error() == errc::stopped);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "cancellation by slot and by stop token") {
    client c = connect();
    std::optional<result<config_map>> out;
    const auto keep = [&](result<config_map> r) { out.emplace(std::move(r)); };
    boost::asio::cancellation_signal signal;
    std::stop_source source;
    get_options options;
    options.stop(source.get_token());

    net->expect("GET " + path + "/a").hang();
    async_get<config_map>(c, {"default", "a"}, options, boost::asio::bind_cancellation_slot(signal.slot(), keep));
    manual_environment::run_ready(context);
    CHECK(!out.has_value());
    signal.emit(boost::asio::cancellation_type::terminal);
    manual_environment::run_ready(context);
    REQUIRE(out.has_value());
    CHECK(out->error() == errc::stopped);
    signal.emit(boost::asio::cancellation_type::terminal);  // after the end: nothing

    out.reset();
    net->expect("GET " + path + "/a").hang();
    async_get<config_map>(c, {"default", "a"}, options, keep);
    manual_environment::run_ready(context);
    source.request_stop();
    manual_environment::run_ready(context);
    REQUIRE(out.has_value());
    CHECK(out->error() == errc::stopped);
    CHECK(net->verify());
}

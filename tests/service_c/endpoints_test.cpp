// kc_endpoints: snapshots, which never change and outlive all else.
#include "service_c/stage.hpp"

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

struct info {
    std::uint64_t version = 0;
    std::size_t count = 0;
    int state = -1;
    std::int64_t age_ms = -2;
};

info info_of(kc_handle snapshot) {
    info out;
    REQUIRE(kc_snapshot_info(snapshot, &out.version, &out.count, &out.state, &out.age_ms) == KC_OK);
    return out;
}

/// The first snapshot with so many endpoints that the server has confirmed; the caller frees it.
kc_handle snapshot_with(const call_record& changes, kc_handle endpoints, std::size_t count) {
    kc_handle out = 0;
    changes.wait([&] {
        if (out != 0) CHECK(kc_free(out) == KC_OK);
        if (kc_snapshot(endpoints, &out) != KC_OK) return false;
        const info at = info_of(out);
        return at.count == count && at.state == KC_LIVE;
    });
    return out;
}

}  // namespace

TEST_CASE("endpoints of a Service, one by one, by the name of a port") {
    server_stage stage;
    stage.create(service_web);
    stage.create(slice_of_web({"10.77.0.2", "10.77.0.1"}));
    const kc_handle client = stage.client();
    call_record changes;
    kc_handle endpoints = 0;
    REQUIRE(kc_endpoints(client, "default/web", R"({"port":"http"})", call_record::changed, &changes, &endpoints) ==
            KC_OK);
    const kc_handle first = snapshot_with(changes, endpoints, 2);
    const info at_first = info_of(first);
    CHECK(at_first.version > 0);
    CHECK(at_first.age_ms >= 0);
    kc_endpoint at{};
    at.size = sizeof at;
    REQUIRE(kc_snapshot_at(first, 0, &at) == KC_OK);
    CHECK(std::string(at.address) == "10.77.0.1");
    CHECK(at.port == 8080);
    CHECK(at.ready == 1);
    CHECK(at.serving == 1);
    CHECK(at.terminating == 0);
    CHECK(std::string(at.zone) == "z1");
    CHECK(std::string(at.node) == "n1");
    CHECK(std::string(at.pod) == "web-10.77.0.1");
    CHECK(kc_snapshot_at(first, 2, &at) == KC_ENOTFOUND);
    CHECK(last_error().find("there is no endpoint 2, but 2") != std::string::npos);

    const auto gone = json::parse(slice_of_web({"10.77.0.2"}));
    REQUIRE(stage.on_server([&] { return stage.server().api().update(*gone); }));
    const kc_handle second = snapshot_with(changes, endpoints, 1);
    CHECK(info_of(second).version > at_first.version);
    // A snapshot never changes, and its strings live as long as it.
    CHECK(info_of(first).count == 2);
    CHECK(kc_free(client) == KC_OK);
    CHECK(std::string(at.address) == "10.77.0.1");
    CHECK(kc_free(first) == KC_OK);
    CHECK(kc_free(second) == KC_OK);
}

TEST_CASE("pods by a selector") {
    server_stage stage;
    stage.create(
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"default","labels":{"app":"web"}},)"
        R"("spec":{"nodeName":"n1","containers":[{"name":"c","image":"i","ports":[{"name":"http","containerPort":8080}]}]},)"
        R"("status":{"phase":"Running","podIP":"10.77.0.9","podIPs":[{"ip":"10.77.0.9"}],)"
        R"("conditions":[{"type":"Ready","status":"True"}]}})");
    const auto running =
        json::parse(R"({"status":{"phase":"Running","podIP":"10.77.0.9","podIPs":[{"ip":"10.77.0.9"}],)"
                    R"("conditions":[{"type":"Ready","status":"True"}]}})");
    REQUIRE(stage.on_server([&] {
        return stage.server().api().patch({"", "pods"}, {"default", "p"}, *running, "status");
    }));
    const kc_handle client = stage.client();
    call_record changes;
    kc_handle endpoints = 0;
    REQUIRE(kc_endpoints(client, "default", R"({"selector":"app=web","port":8080})", call_record::changed, &changes,
                         &endpoints) == KC_OK);
    const kc_handle snapshot = snapshot_with(changes, endpoints, 1);
    kc_endpoint at{};
    at.size = sizeof at;
    REQUIRE(kc_snapshot_at(snapshot, 0, &at) == KC_OK);
    CHECK(std::string(at.address) == "10.77.0.9");
    CHECK(std::string(at.pod) == "p");
    CHECK(kc_free(snapshot) == KC_OK);
    CHECK(kc_free(client) == KC_OK);
}

TEST_CASE("a port that is not there: the text lists those there are") {
    server_stage stage;
    stage.create(service_web);
    stage.create(slice_of_web({"10.77.0.1"}));
    const kc_handle client = stage.client();
    call_record changes;
    kc_handle endpoints = 0;
    REQUIRE(kc_endpoints(client, "default/web", R"({"port":"grpc"})", call_record::changed, &changes, &endpoints) ==
            KC_OK);
    std::string text;
    changes.wait([&] {
        kc_handle snapshot = 0;
        if (kc_snapshot(endpoints, &snapshot) == KC_OK) {
            kc_endpoint at{};
            at.size = sizeof at;
            CHECK(kc_snapshot_at(snapshot, 0, &at) == KC_ENOTFOUND);
            CHECK(kc_free(snapshot) == KC_OK);
        }
        text = last_error();
        return text.find("http") != std::string::npos;
    });
    CHECK(text.find("grpc") != std::string::npos);
    CHECK(kc_free(client) == KC_OK);
}

TEST_CASE("a warm start: the last snapshot, stale, before there is a server") {
    server_stage stage;
    stage.create(service_web);
    stage.create(slice_of_web({"10.77.0.1"}));
    const std::string options = R"({"port":"http","cache":")" + stage.path("cache") + "\"}";
    call_record changes;
    kc_handle client = stage.client(), endpoints = 0;
    REQUIRE(kc_endpoints(client, "default/web", options.c_str(), call_record::changed, &changes, &endpoints) == KC_OK);
    CHECK(kc_free(snapshot_with(changes, endpoints, 1)) == KC_OK);
    CHECK(kc_free(client) == KC_OK);

    client = stage.client(R"(,"thread":false)");
    REQUIRE(kc_endpoints(client, "default/web", options.c_str(), nullptr, nullptr, &endpoints) == KC_OK);
    kc_handle snapshot = 0;
    REQUIRE(kc_snapshot(endpoints, &snapshot) == KC_OK);
    const info at = info_of(snapshot);
    CHECK(at.count == 1);
    CHECK(at.state == KC_STALE);
    CHECK(kc_free(snapshot) == KC_OK);
    CHECK(kc_free(client) == KC_OK);
}

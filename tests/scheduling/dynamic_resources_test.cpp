// DynamicResources: what it says of nodes, and claims at the in-process API server in virtual time: written before the
// binding, with lost answers, restarts and two schedulers. A reader of the API alone finds no device given twice.
#include <kcontrol/scheduling/dynamic_resources.hpp>

#include "scheduling/claims_world.hpp"
#include "scheduling/plugin_world.hpp"
#include "simulation/seeds.hpp"
#include "support/lagging_watches.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
namespace dra = kcontrol::api::resource::v1;
using scheduling::claim_catalog;
using scheduling::dynamic_resources;

TEST_CASE("dynamic_resources: what it says of nodes") {
    const auto known = std::make_shared<claim_catalog>(&half_or_not);
    for (const char* node : {"a", "b"}) known->set(typed<dra::resource_slice>(slice_json(node)));
    known->set(typed<dra::device_class>(class_json("gpu", "whole")));
    known->set(typed<dra::device_class>(class_json("bad", "bad")));
    for (const char* name : {"one", "two", "three", "gone", "mine", "theirs"}) {
        auto made = claim_json(name, "gpu", name == std::string("three") ? 3 : name == std::string("two") ? 2 : 1);
        auto& meta = made.at("metadata").as_object();
        meta["uid"] = std::string("uid-") + name;
        if (name == std::string("gone")) meta["deletionTimestamp"] = "2026-01-01T00:00:00Z";
        known->set(typed<dra::resource_claim>(made));
    }
    known->set(typed<dra::resource_claim>(claim_json("bad", "bad", 1)));
    known->set(typed<dra::resource_claim>(claim_json("classless", "none", 1)));
    plugin_world nodes;
    nodes.node("a").node("b").node("c");
    const auto said = [&](const std::string& claims, const std::string& status = "{}") {
        const auto pod = pod_of("default/p", R"({"containers":[],"resourceClaims":[)" + claims + "]}", "{}", status);
        return plugin_round<dynamic_resources>(dynamic_resources(known), nodes, pod).filtered();
    };
    const auto named = [](const std::string& name) { return R"({"name":"c","resourceClaimName":")" + name + R"("})"; };
    const std::string no_device = "c !cannot allocate all claims: claim default/";
    CHECK(said("") == "all skip");
    CHECK(said(named("one")) == "a ok, b ok, " + no_device + "one, request r: no device is selected");
    CHECK(said(named("three")) ==
          "a !cannot allocate all claims: claim default/three, request r: 3 devices are needed, 2 of 2 are free, "
          "b !cannot allocate all claims: claim default/three, request r: 3 devices are needed, 2 of 2 are free, " +
              no_device + "three, request r: no device is selected");
    CHECK(said(named("nothing")) == R"(all !spec.resourceClaims[0]: ResourceClaim "nothing" does not exist)");
    CHECK(said(named("gone")) == R"(all !spec.resourceClaims[0]: ResourceClaim "gone" is being deleted)");
    CHECK(said(named("bad"))
              .find("a !claim default/bad: DeviceClass bad: spec.selectors[0].cel.expression: \"bad\" "
                    "fails for device \"gpu-0\": no such key: y") == 0);
    CHECK(said(named("classless"))
              .find("a !claim default/classless: spec.devices.requests[0].exactly.deviceClassName: "
                    "DeviceClass \"none\" does not exist") == 0);
    const std::string of_template = R"({"name":"c","resourceClaimTemplateName":"t"})";
    CHECK(said(of_template) == R"(all !spec.resourceClaims[0]: no ResourceClaim has been made of template "t" yet)");
    CHECK(said(of_template, R"({"resourceClaimStatuses":[{"name":"c","resourceClaimName":"one"}]})") ==
          R"(all !spec.resourceClaims[0]: ResourceClaim "one" was not made for this pod)");
    CHECK(said(of_template, R"({"resourceClaimStatuses":[{"name":"c"}]})") == "all skip");  // it needs none

    // What is decided counts until its last copy is gone; a pod that shares the claim goes there, too.
    const auto pod = pod_of("p", R"({"containers":[],"resourceClaims":[)" + named("two") + "]}");
    plugin_round<dynamic_resources> round(dynamic_resources(known), nodes, pod);
    auto decided = dynamic_resources(known).decide(round.state, *pod, round.node("a"), nullptr);
    REQUIRE((decided && *decided));
    CHECK((**decided).size() == 1);
    auto assumed = known->assume(known->find_claim("default", "two"), (**decided)[0]);
    CHECK(said(named("one"))
              .find("a !cannot allocate all claims: claim default/one, request r: 1 device is needed, "
                    "0 of 2 are free, b ok") == 0);
    CHECK(said(named("two")) ==
          "a ok, b -node(s) can't reach the devices of ResourceClaim \"two\", "
          "c -node(s) can't reach the devices of ResourceClaim \"two\"");
    // What is known of a pod that was refused stays until the next one is decided: it holds nothing.
    const auto shares = pod_of("q", R"({"containers":[],"resourceClaims":[)" + named("two") + "]}");
    plugin_round<dynamic_resources> of_other(dynamic_resources(known), nodes, shares);
    CHECK(of_other.state.uses.at(0).is_given);
    assumed.reset();
    CHECK(known->held().empty());
    CHECK(said(named("one")).find("a ok") == 0);
}

TEST_CASE("claim_catalog: an older version and a late answer change nothing") {
    claim_catalog known(&half_or_not);
    const auto version = [](int number, bool is_allocated) {
        auto out = claim_json("c", "gpu", 1);
        auto& meta = out.at("metadata").as_object();
        meta["uid"] = "u";
        meta["resourceVersion"] = std::to_string(number);
        const json::value given{{"request", "r"}, {"driver", "gpu.example"}, {"pool", "a"}, {"device", "gpu-0"}};
        if (is_allocated) {
            out.as_object()["status"] = {{"allocation", {{"devices", {{"results", json::array{given}}}}}}};
        }
        return typed<dra::resource_claim>(out);
    };
    known.set(version(9, false));
    known.set(version(10, true));
    known.set(version(9, false));
    CHECK(known.held().size() == 1);
    known.set(version(11, false));
    CHECK(known.held().empty());
    known.remove(*version(11, false));
    known.set_answer(version(12, true));
    CHECK(known.held().empty());
    CHECK(known.find_claim("default", "c") == nullptr);
}

TEST_CASE("claims: allocation and reservation come before the binding, and are read again after a restart") {
    claims_world w;
    w.claim("pair", "gpu", 2);
    w.claim("half", "half");
    w.start();
    w.pod("p", "pair");
    w.pod("q", "pair");
    REQUIRE(w.until([&] { return !w.node_of("p").empty() && !w.node_of("q").empty(); }));
    CHECK(w.node_of("p") == w.node_of("q"));
    const auto node = w.node_of("p");
    CHECK(w.allocated("pair").find(node + "/gpu-0 " + node + "/gpu-1 for ") == 0);
    CHECK(json::find(w.get(all_claims, "pair"), {"metadata", "finalizers"})->as_array().front() ==
          json::value("resource.kubernetes.io/delete-protection"));
    w.restart();
    w.claim("other", "gpu", 2);
    w.claim("third", "gpu");
    w.pod("r", "other");
    REQUIRE(w.until([&] { return !w.node_of("r").empty(); }));
    w.pod("s", "third");
    w.pod("t", "later");
    w.pod("u", "half");
    REQUIRE(w.until([&] { return !w.message("s").empty() && !w.message("t").empty() && !w.message("u").empty(); }));
    CHECK(w.message("s") ==
          "0/2 nodes are available: 2 cannot allocate all claims: claim default/third, request r: "
          "1 device is needed, 0 of 2 are free.");
    CHECK(w.message("u") ==
          "0/2 nodes are available: 2 cannot allocate all claims: claim default/half, request r: "
          "1 device is needed, 0 of 2 are free.");
    CHECK(w.message("t").find("ResourceClaim \"later\" does not exist") != std::string::npos);
    // A claim that comes, and devices that become free, wake the pods at once.
    w.remove_pod("r");
    w.free_claims();
    REQUIRE(w.until([&] { return !w.node_of("s").empty() && !w.node_of("u").empty(); }, 20s));
    w.claim("later", "half");
    REQUIRE(w.until([&] { return !w.node_of("t").empty(); }, 20s));
    CHECK(w.checker.broken == "");
}

TEST_CASE("claims: a template's claim, which the pod names after it is there") {
    claims_world w;
    w.start();
    auto made = pod_json_of("p", "");
    made.at("spec").as_object()["resourceClaims"] =
        json::array{json::value{{"name", "c"}, {"resourceClaimTemplateName", "t"}}};
    const auto pod = w.create(made);
    REQUIRE(w.until([&] { return w.message("p").find("no ResourceClaim has been made") != std::string::npos; }));
    auto claim = claim_json("p-c-1", "gpu", 1);
    claim.at("metadata").as_object()["ownerReferences"] =
        json::array{json::value{{"apiVersion", "v1"},
                                {"kind", "Pod"},
                                {"name", "p"},
                                {"uid", std::string(json::get_string(pod, {"metadata", "uid"}))},
                                {"controller", true}}};
    w.create(claim);
    w.sim.run_for(5s);
    CHECK(w.node_of("p") == "");
    const json::value status{
        {"status",
         {{"resourceClaimStatuses", json::array{json::value{{"name", "c"}, {"resourceClaimName", "p-c-1"}}}}}}};
    REQUIRE(w.server.api().patch(pods_of_all, {"default", "p"}, status, "status"));
    REQUIRE(w.until([&] { return !w.node_of("p").empty(); }, 20s));
    CHECK(w.checker.broken == "");
}

TEST_CASE("claims: a binding that is refused gives them back; a claim without other pods is freed for another node") {
    claims_world w;
    w.claim("c", "gpu");
    w.start();
    bool refuses = true;
    w.server.api().set_faults([&](const http::server_request& asked) {
        testing::fault out;
        if (refuses && asked.target.find("/binding") != std::string::npos) out.status(403, "Forbidden", "no");
        return out;
    });
    w.pod("p", "c");
    REQUIRE(w.until([&] { return w.allocated("c").find(" for p") != std::string::npos; }));
    REQUIRE(w.until([&] { return w.allocated("c") == ""; }));
    // It is killed after the write, and the node of the claim takes no pods any more.
    REQUIRE(w.until([&] { return w.allocated("c").find(" for p") != std::string::npos; }));
    w.server.api().set_faults([&](const http::server_request& asked) {
        testing::fault out;
        if (asked.method != "GET") out.drop();
        return out;
    });
    const auto node = w.allocated("c").substr(0, 2);
    w.sim.run_for(1s);
    REQUIRE(w.server.api().patch({"", "nodes"}, {"", node}, {{"spec", {{"unschedulable", true}}}}));
    w.server.api().set_faults(nullptr);
    w.restart();
    REQUIRE(w.until([&] { return !w.node_of("p").empty(); }, 10min));
    CHECK(w.node_of("p") != node);
    CHECK(w.checker.broken == "");
}

TEST_CASE("claims: a gang whose claims were written before it was bound gets devices elsewhere") {
    claims_world w(1, 3);
    bool is_shared = false;
    SUBCASE("each pod has its own") {}
    SUBCASE("they share one") { is_shared = true; }
    for (const char* name : {"a", "b"}) w.claim(name, "gpu", 2);
    w.start();
    // It is killed after the writes.
    w.server.api().set_faults([](const http::server_request& asked) {
        testing::fault out;
        if (asked.target.find("/binding") != std::string::npos) out.drop();
        return out;
    });
    for (const char* name : {"a", "b"}) {
        auto made = pod_json_of(name, is_shared ? "a" : name);
        auto& meta = made.at("metadata").as_object();
        meta["labels"] = {{"scheduling.kcontrol.dev/gang", "g"}};
        meta["annotations"] = {{"scheduling.kcontrol.dev/gang-size", "2"}};
        w.create(made);
    }
    REQUIRE(w.until([&] {
        const auto users = w.allocated("a") + w.allocated("b");
        return users.find(" for a") != std::string::npos && users.find(" for b") != std::string::npos;
    }));
    w.server.api().set_faults([](const http::server_request& asked) {
        testing::fault out;
        if (asked.method != "GET") out.drop();
        return out;
    });
    w.sim.run_for(1s);
    const auto node = w.allocated("a").substr(0, 2);
    REQUIRE(w.server.api().patch({"", "nodes"}, {"", node}, {{"spec", {{"unschedulable", true}}}}));
    w.server.api().set_faults(nullptr);
    w.restart();
    REQUIRE(w.until([&] { return !w.node_of("a").empty() && !w.node_of("b").empty(); }, 10min));
    CHECK(w.node_of("a") != node);
    CHECK(w.checker.broken == "");
}

TEST_CASE("claims: no pod is placed with a claim while a reservation of it is taken back") {
    claims_world w;
    w.claim("c", "gpu");
    w.start();
    int writes = 0;  // of its status: p reserves it, and leaves it
    w.server.api().set_faults([&](const http::server_request& asked) {
        testing::fault out;
        if (asked.target.find("/pods/p/binding") != std::string::npos) out.status(403, "Forbidden", "no");
        const bool is_write =
            asked.method == "PATCH" && asked.target.find("/resourceclaims/c/status") != std::string::npos;
        if (is_write && ++writes == 2) out.delay(20s);
        return out;
    });
    w.pod("p", "c");
    REQUIRE(w.until([&] { return writes == 2; }));
    w.pod("q", "c");
    w.sim.run_for(10s);
    CHECK(writes == 2);
    CHECK(w.node_of("q") == "");
    CHECK(w.allocated("c").find(" for p") != std::string::npos);
    w.remove_pod("p");
    REQUIRE(w.until([&] { return !w.node_of("q").empty(); }));
    CHECK(w.checker.broken == "");
}

TEST_CASE("claims: two schedulers race for one claim") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        claims_world w(seed);
        w.set_faults(10);
        w.start("ours");
        w.start("theirs");
        w.sim.run_for(5s);
        w.claim("c", "gpu");
        for (int i = 0; i < 4; ++i) {
            w.pod("p" + std::to_string(i), "c", "ours");
            w.pod("q" + std::to_string(i), "c", "theirs");
        }
        REQUIRE(w.until([&] { return w.pods(true).size() == 8; }, 1h));
        CHECK(w.checker.broken == "");
    }
}

TEST_CASE("claims: worlds with lost answers and restarts give no device twice, and no pod waits for ever") {
    const seed_range seeds(40, 8);
    std::size_t bound = 0, restarts = 0;
    for (auto seed = seeds.first; seed <= seeds.last; ++seed) {
        CAPTURE(seed);
        claims_world w(seed);
        w.set_faults(w.below(2) == 0 ? 0 : 15);
        std::optional<lagging_watches> late(std::in_place, w.sim, w.server.api(), seed % 3 * 1s);
        w.start();
        int named = 0;
        for (int step = 0; step < 60; ++step) {
            const auto there = w.pods(w.below(2) == 0);
            switch (w.below(8)) {
            case 0:
            case 1:
            case 2: {
                const auto name = std::to_string(named++);
                if (w.below(3) == 0) {
                    w.extended_pod("e" + name, w.below(4) == 0 ? 2 : 1);
                    break;
                }
                w.claim("c" + name, w.below(3) == 0 ? "half" : "gpu", w.below(5) == 0 ? 2 : 1);
                w.pod("p" + name, "c" + name);
                if (w.below(4) == 0) w.pod("s" + name, "c" + name);
                break;
            }
            case 3:
                if (!there.empty()) w.remove_pod(there[w.below(there.size())]);
                break;
            case 4:
                if (w.below(8) == 0) w.restart(), ++restarts;
                break;
            default: w.sim.run_for(std::chrono::milliseconds(w.below(3000)));
            }
            w.free_claims();
            REQUIRE(w.checker.broken == "");
        }
        w.server.api().set_faults(nullptr);
        late.reset();
        for (int round = 0; round < 40 && !w.pods(false).empty(); ++round) {
            w.sim.run_for(10min);
            for (const auto& each : w.pods(true)) w.remove_pod(each), ++bound;
            w.free_claims();
        }
        CHECK(w.pods(false) == std::vector<std::string>());
        REQUIRE(w.checker.broken == "");
    }
    MESSAGE("ended after they were bound: " << bound << ", restarts: " << restarts);
    CHECK(bound > 4 * seeds.count());
}

// Extended resources that a DeviceClass stands for, at the in-process API server in virtual time: the claim that is
// made for them, with lost answers, restarts, and bindings that fail.
#include "scheduling/claims_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

namespace {

const testing::group_resource all_nodes{"", "nodes"};

bool is_write(const http::server_request& asked) {
    return asked.method != "GET" && asked.target.find("/events") == std::string::npos &&
           asked.target.find("/leases") == std::string::npos;
}

std::string text_at(const json::value& of, std::initializer_list<std::string_view> path) {
    return std::string(json::get_string(of, path));
}

// The device of the only claim that was made for the pod; its name is in the pod's status.
std::string device_of(claims_world& w, const std::string& pod) {
    const auto made = w.made_for(pod);
    REQUIRE(made.size() == 1);
    const auto name = text_at(made[0], {"metadata", "name"});
    CHECK(text_at(w.get(pods_of_all, pod), {"status", "extendedResourceClaimStatus", "resourceClaimName"}) == name);
    return w.allocated(name);
}

}  // namespace

TEST_CASE("extended resources: a claim is made for the pod, and its status names it before the binding") {
    claims_world w;
    w.start();
    w.extended_pod("p", 2);
    REQUIRE(w.until([&] { return !w.node_of("p").empty(); }));
    const auto node = w.node_of("p");
    CHECK(device_of(w, "p") == node + "/gpu-0 " + node + "/gpu-1 for p");
    const auto claim = w.made_for("p")[0];
    const auto pod = w.get(pods_of_all, "p");
    CHECK(text_at(claim, {"metadata", "name"}).find("p-extended-resources-") == 0);
    CHECK(text_at(claim, {"metadata", "generateName"}) == "p-extended-resources-");
    CHECK(json::serialize(*json::find(claim, {"metadata", "ownerReferences"})) ==
          R"([{"apiVersion":"v1","kind":"Pod","name":"p","uid":")" + text_at(pod, {"metadata", "uid"}) +
              R"(","controller":true}])");
    CHECK(json::find(claim, {"metadata", "finalizers"})->as_array().front() ==
          json::value("resource.kubernetes.io/delete-protection"));
    CHECK(json::serialize(*json::find(claim, {"spec", "devices", "requests"})) ==
          R"([{"exactly":{"allocationMode":"ExactCount","count":2,"deviceClassName":"gpu"},)"
          R"("name":"container-0-request-0"}])");
    CHECK(json::serialize(*json::find(pod, {"status", "extendedResourceClaimStatus", "requestMappings"})) ==
          R"([{"containerName":"c","requestName":"container-0-request-0","resourceName":"example.com/gpu"}])");
    // The other node is full, too, after a second one; the third waits until devices are free.
    w.extended_pod("q", 2);
    REQUIRE(w.until([&] { return !w.node_of("q").empty(); }));
    w.extended_pod("r");
    REQUIRE(w.until([&] { return !w.message("r").empty(); }));
    CHECK(w.message("r") ==
          "0/2 nodes are available: 2 cannot allocate all claims: claim default/<extended-resources of r>, "
          "request container-0-request-0: 1 device is needed, 0 of 2 are free.");
    w.remove_pod("p");
    w.free_claims();
    REQUIRE(w.until([&] { return !w.node_of("r").empty(); }, 20s));
    CHECK(w.made_for("r").size() == 1);
    CHECK(w.checker.broken == "");
}

TEST_CASE("extended resources: a node that has them itself needs no claim; a class that comes wakes pods") {
    claims_world w(1, 1);
    const json::value amounts{{"cpu", "64"}, {"memory", "64Gi"}, {"pods", "100"}, {"other.com/gpu", "1"}};
    w.create({{"apiVersion", "v1"},
              {"kind", "Node"},
              {"metadata", {{"name", "own"}}},
              {"status", {{"allocatable", amounts}, {"capacity", amounts}}}});
    w.start();
    const auto other = [&](const std::string& name) {
        auto made = extended_pod_json(name, 1);
        const json::value one{{"other.com/gpu", "1"}};
        made.at("spec").at("containers").as_array()[0].as_object()["resources"] = {{"requests", one}, {"limits", one}};
        w.create(made);
    };
    other("p");
    REQUIRE(w.until([&] { return w.node_of("p") == "own"; }));
    CHECK(w.made_for("p").empty());
    other("q");
    REQUIRE(w.until([&] { return !w.message("q").empty(); }));
    CHECK(w.message("q").find("Insufficient other.com/gpu") != std::string::npos);
    auto made = class_json("later", "whole");
    made.at("spec").as_object()["extendedResourceName"] = "other.com/gpu";
    w.create(made);
    REQUIRE(w.until([&] { return w.node_of("q") == "n0"; }, 20s));
    CHECK(device_of(w, "q") == "n0/gpu-0 for q");
    CHECK(w.checker.broken == "");
}

TEST_CASE("extended resources: each write fails once, in each way") {
    for (int kind = 0; kind < 4; ++kind) {
        for (int failing = 0;; ++failing) {
            CAPTURE(kind);
            CAPTURE(failing);
            int writes = 0;
            claims_world w(1, 1);
            w.start();
            w.sim.run_for(5s);
            w.server.api().set_faults([&](const http::server_request& asked) {
                testing::fault out;
                if (!is_write(asked) || writes++ != failing) return out;
                if (kind == 0) return out.drop();
                if (kind == 1) return out.drop_response();
                if (kind == 2) return out.delay(40s).drop_response();
                return out.status(403, "Forbidden", "no");
            });
            w.extended_pod("p");
            REQUIRE(w.until([&] { return !w.node_of("p").empty(); }, 10min));
            w.sim.run_for(2min);
            CHECK(device_of(w, "p") == "n0/gpu-0 for p");
            REQUIRE(w.checker.broken == "");
            if (failing >= writes) break;  // it was not reached
            REQUIRE(failing < 20);
        }
    }
}

TEST_CASE("extended resources: a scheduler that was killed after a write uses what it made") {
    for (int after = 1;; ++after) {
        CAPTURE(after);
        int writes = 0;
        bool is_last = false;  // what follows is lost: the scheduler is dead
        claims_world w(1, 2);
        w.start();
        w.sim.run_for(5s);
        w.server.api().set_faults([&](const http::server_request& asked) {
            testing::fault out;
            if (is_last && asked.method != "GET") return out.drop();
            if (is_write(asked) && ++writes == after) {
                is_last = true;
                return out.drop_response();
            }
            return out;
        });
        w.extended_pod("p");
        const bool is_killed = w.until([&] { return is_last; }, 1min);
        w.sim.run_for(1s);
        const auto made = w.made_for("p");
        w.server.api().set_faults(nullptr);
        if (is_killed) w.restart();
        REQUIRE(w.until([&] { return !w.node_of("p").empty(); }, 10min));
        w.sim.run_for(2min);
        CHECK(device_of(w, "p").find("gpu-0 for p") != std::string::npos);
        if (!made.empty())
            CHECK(text_at(made[0], {"metadata", "uid"}) == text_at(w.made_for("p")[0], {"metadata", "uid"}));
        REQUIRE(w.checker.broken == "");
        if (!is_killed) break;
        REQUIRE(after < 20);
    }
}

TEST_CASE("extended resources: a pod that is not bound gives everything back") {
    // Requests are still answered while the world ends: what they ask lives longer.
    bool refuses = true;
    int deletions = 0;
    claims_world w(1, 1);
    w.start();
    w.server.api().set_faults([&](const http::server_request& asked) {
        testing::fault out;
        if (refuses && asked.target.find("/binding") != std::string::npos) return out.status(403, "Forbidden", "no");
        if (asked.method == "DELETE" && asked.target.find("/resourceclaims/") != std::string::npos) {
            return ++deletions == 1 ? out.drop_response() : deletions == 2 ? out.drop() : out;
        }
        return out;
    });
    w.extended_pod("p", 2);
    REQUIRE(w.until([&] { return !w.made_for("p").empty(); }));
    REQUIRE(w.until([&] { return w.made_for("p").empty(); }));
    REQUIRE(w.until([&] {
        return json::find(w.get(pods_of_all, "p"), {"status", "extendedResourceClaimStatus"}) == nullptr;
    }));
    // Its devices are free for others, and it gets them in the end.
    refuses = false;
    REQUIRE(w.until([&] { return !w.node_of("p").empty(); }, 10min));
    CHECK(device_of(w, "p") == "n0/gpu-0 n0/gpu-1 for p");
    w.remove_pod("p");
    w.free_claims();
    w.claim("both", "gpu", 2);
    w.pod("q", "both");
    REQUIRE(w.until([&] { return !w.node_of("q").empty(); }, 10min));
    CHECK(w.checker.broken == "");
}

TEST_CASE("extended resources: a claim that was written before a restart is deleted where its node takes no pods") {
    claims_world w;
    w.start();
    w.server.api().set_faults([](const http::server_request& asked) {
        testing::fault out;
        if (asked.target.find("/binding") != std::string::npos) out.drop();
        return out;
    });
    w.extended_pod("p");
    REQUIRE(w.until([&] {
        return json::find(w.get(pods_of_all, "p"), {"status", "extendedResourceClaimStatus"}) != nullptr;
    }));
    w.server.api().set_faults([](const http::server_request& asked) {
        testing::fault out;
        if (asked.method != "GET") out.drop();
        return out;
    });
    w.sim.run_for(1s);
    const auto node = device_of(w, "p").substr(0, 2);
    REQUIRE(w.server.api().patch(all_nodes, {"", node}, {{"spec", {{"unschedulable", true}}}}));
    w.server.api().set_faults(nullptr);
    w.restart();
    REQUIRE(w.until([&] { return !w.node_of("p").empty(); }, 10min));
    CHECK(w.node_of("p") != node);
    CHECK(device_of(w, "p") == w.node_of("p") + "/gpu-0 for p");
    CHECK(w.checker.broken == "");
}

TEST_CASE("extended resources: names that others have taken, and pods that are deleted meanwhile") {
    std::string name, deleted;
    claims_world w(1, 1);
    // The name of the claim is known from a world like this one.
    {
        claims_world before(1, 1);
        before.start();
        before.extended_pod("p");
        REQUIRE(before.until([&] { return !before.node_of("p").empty(); }));
        name = text_at(before.made_for("p")[0], {"metadata", "name"});
    }
    w.start();
    w.server.api().set_faults([&](const http::server_request& asked) {
        testing::fault out;
        if (asked.method == "POST" && asked.target.ends_with("/resourceclaims") && w.made_for("p").empty()) {
            static_cast<void>(w.server.api().create(claim_json(name, "half", 1)));
        }
        if (asked.target.find("/pods/gone/status") != std::string::npos && deleted.empty()) {
            deleted = "gone";
            w.remove_pod("gone");
        }
        return out;
    });
    w.extended_pod("p");
    REQUIRE(w.until([&] { return !w.node_of("p").empty(); }));
    CHECK(device_of(w, "p") == "n0/gpu-0 for p");
    CHECK(w.allocated(name) == "");
    w.extended_pod("gone");
    REQUIRE(w.until([&] { return deleted == "gone"; }));
    w.sim.run_for(1min);
    // What was made for it is deleted: a claim gets the other GPU.
    w.claim("c", "gpu");
    w.pod("q", "c");
    REQUIRE(w.until([&] { return !w.node_of("q").empty(); }, 10min));
    CHECK(w.checker.broken == "");
}

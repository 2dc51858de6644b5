// configmap_sync in simulated clusters: what is made, changed and removed in each, and what is left alone.
#include "sync.hpp"

#include <kcontrol/testing/sim_world.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;
using testing::fault;

const testing::group_resource config_maps{"", "configmaps"};

struct fixture {
    fixture() {
        m.emplace(world.env(), world.get_executor(),
                  multicluster_options()
                      .informers(informer_options().probe_period(5s))
                      .transport(world.network().factory())
                      .log(logger([this](const log_record& r) { log += std::string(r.message) + "\n"; })));
        REQUIRE(configmap_sync::add_to(*m, label_selector::parse("sync!=no").value()));
    }
    ~fixture() {
        world.ends_within(1min, m->stop());
        settle();
    }

    testing::api_server& api(const std::string& cluster) { return world.add_server(cluster).api(); }
    void want(const std::vector<std::string>& clusters, const cluster_labels& labels = {}) {
        std::vector<desired_cluster> desired;
        desired.emplace_back(configmap_sync::home, world.add_server("home").config());
        for (const auto& one : clusters) {
            desired.emplace_back(one, world.add_server(one).config());
            desired.back().labels = labels;
        }
        m->set_desired(std::move(desired));
        settle();
    }
    void settle(duration d = 10s) { world.run_for(d); }
    void put(const std::string& cluster, const std::string& name, const std::string& color,
             const std::string& wanted = "yes") {
        const json::value object{
            {"apiVersion", "v1"},
            {"kind", "ConfigMap"},
            {"metadata", {{"name", name}, {"namespace", "default"}, {"labels", {{"sync", wanted}}}}},
            {"data", {{"color", color}}}};
        auto& at = api(cluster);
        (void)(at.get(config_maps, {"default", name}) ? at.update(object) : at.create(object)).value();
        settle();
    }
    void remove(const std::string& cluster, const std::string& name) {
        (void)api(cluster).remove(config_maps, {"default", name});
        settle();
    }
    std::string color(const std::string& cluster, const std::string& name) {
        const auto found = api(cluster).get(config_maps, {"default", name});
        return found ? std::string(json::get_string(*found, {"data", "color"})) : "none";
    }

    testing::sim_world world{1};
    std::string log;
    std::optional<multicluster_manager> m;
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "a labelled ConfigMap is in all clusters, as it is, for as long as it is there") {
    put("home", "web", "red");
    put("home", "other", "red", "no");
    want({"east", "west"});
    CHECK(color("east", "web") == "red");
    CHECK(color("west", "web") == "red");
    CHECK(color("east", "other") == "none");
    put("home", "web", "blue");
    CHECK(color("east", "web") == "blue");
    CHECK(color("west", "web") == "blue");
    put("home", "web", "blue", "no");  // labelled no more
    CHECK(color("east", "web") == "none");
    put("home", "web", "green");
    CHECK(color("west", "web") == "green");
    remove("home", "web");
    CHECK(color("east", "web") == "none");
    CHECK(color("west", "web") == "none");
    CHECK(color("home", "other") == "red");
}

TEST_CASE_FIXTURE(fixture, "a cluster that joins late gets all, and one that is not selected nothing") {
    put("home", "web", "red");
    want({"east"});
    want({"east", "late"});
    CHECK(color("late", "web") == "red");
    want({"east", "late"}, {{"sync", "no"}});
    put("home", "web", "blue");
    CHECK(color("late", "web") == "red");
    want({"east", "late"});
    CHECK(color("late", "web") == "blue");
}

TEST_CASE_FIXTURE(fixture, "what somebody changes is put right, and what somebody else owns is left alone") {
    put("east", "mine", "black", "yes");
    put("home", "web", "red");
    put("home", "mine", "red");
    want({"east"});
    CHECK(color("east", "mine") == "black");
    CHECK(log.find("somebody else's") != std::string::npos);
    (void)api("east").patch(config_maps, {"default", "web"}, {{"data", {{"color", "pink"}, {"more", "x"}}}}).value();
    settle();
    CHECK(color("east", "web") == "red");
    remove("east", "web");
    CHECK(color("east", "web") == "red");
    remove("home", "mine");
    CHECK(color("east", "mine") == "black");
}

TEST_CASE_FIXTURE(fixture, "a cluster that forbids it costs no other anything, and gets all once it allows it") {
    bool forbids = true;
    api("east").set_faults([&](const http::server_request& request) {
        fault f;
        if (forbids && request.method != "GET") f.status(403, "Forbidden", "configmaps is forbidden");
        return f;
    });
    put("home", "web", "red");
    want({"east", "west"});
    CHECK(color("east", "web") == "none");
    CHECK(color("west", "web") == "red");
    CHECK(log.find("reconcile") != std::string::npos);
    forbids = false;
    settle(20min);  // the longest pause of a request that fails
    CHECK(color("east", "web") == "red");
}

TEST_CASE_FIXTURE(fixture, "a cluster has some copies made at a time, and all clusters together a bounded number") {
    constexpr std::size_t clusters = configmap_sync::most_in_all / configmap_sync::most_in_a_cluster + 1;
    for (const char* name : {"web-1", "web-2", "web-3", "web-4", "web-5"}) put("home", name, "red");
    const auto begun = std::make_shared<std::map<std::string, std::size_t>>();  // servers outlive this test
    std::vector<std::string> names;
    for (std::size_t i = 0; i < clusters; ++i) {
        const std::string& name = names.emplace_back("c" + std::to_string(i));
        api(name).set_faults([begun, name](const http::server_request& request) {
            // A copy begins with a read.
            if (request.method != "GET" || request.target.find("/configmaps/web-") == std::string::npos) return fault();
            ++(*begun)[name];
            return fault().hang();
        });
    }
    want(names);
    std::size_t in_all = 0, most = 0;
    for (const auto& [name, count] : *begun) in_all += count, most = std::max(most, count);
    CHECK(in_all == configmap_sync::most_in_all);
    CHECK(most == configmap_sync::most_in_a_cluster);
}

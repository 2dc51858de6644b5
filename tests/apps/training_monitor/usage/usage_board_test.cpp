// Labelers of a simulated cluster: whom the monitor asks and how often, and what the interface says then.
#include <kcontrol/multicluster/directory_source.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "monitor.hpp"
#include "usage/labelers.hpp"
#include "web/fleet_answer.hpp"
#include "web/usage_json.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using namespace training_monitor;
using namespace training_monitor::tests;
using kcontrol::json::value;
namespace http = kcontrol::http;

const kcontrol::testing::group_resource jobs{"batch", "jobs"}, pods{"", "pods"};

struct fixture {
    fixture() {
        REQUIRE(server.api().create(
            {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "gpu-labeler"}}}}));
        make_labeler("labeler-1", "n1");
        make_labeler("labeler-2", "n2");
    }
    ~fixture() {
        CHECK(world.ends_within(1min, watched->stop()));
        world.run_for(2s);
    }
    void start() {
        watched.emplace(world.env(), world.get_executor(), options().usage(usage_options().on(true).asked_for(true)),
                        labelers.before(world.network().factory()), kcontrol::logger());
        watched->on_usage([this](const std::string&) { ++news; });
        REQUIRE(watched->start(
            std::make_unique<kcontrol::fixed_source>(std::vector{kcontrol::desired_cluster("a", server.config())}),
            {}));
        world.run_for(10s);
    }
    void make_pod(const std::string& name_space, const std::string& name, const std::string& label,
                  const std::string& label_value, const std::string& node, const std::string& gpus) {
        REQUIRE(server.api().create(
            {{"apiVersion", "v1"},
             {"kind", "Pod"},
             {"metadata", {{"name", name}, {"namespace", name_space}, {"labels", {{label, label_value}}}}},
             {"spec",
              {{"nodeName", node},
               {"containers",
                {{{"name", "main"}, {"image", "x"}, {"resources", {{"limits", {{"nvidia.com/gpu", gpus}}}}}}}}}}}));
        REQUIRE(server.api().patch(pods, {name_space, name}, {{"status", {{"phase", "Running"}}}}, "status"));
    }
    void make_labeler(const std::string& name, const std::string& node) {
        make_pod("gpu-labeler", name, "app.kubernetes.io/name", "gpu-labeler", node, "0");
    }
    void make_job(int gpus) {
        const std::string each = std::to_string(gpus);
        kcontrol::json::array containers;  // one in braces is that one to newer libraries, and no list
        containers.push_back(
            {{"name", "main"}, {"image", "x"}, {"resources", {{"limits", {{"nvidia.com/gpu", each}}}}}});
        REQUIRE(server.api().create(
            {{"apiVersion", "batch/v1"},
             {"kind", "Job"},
             {"metadata", {{"name", "train"}, {"namespace", "default"}}},
             {"spec", {{"parallelism", 1}, {"template", {{"spec", {{"containers", containers}}}}}}}}));
        REQUIRE(server.api().patch(jobs, {"default", "train"},
                                   {{"status", {{"active", 1}, {"ready", 1}, {"startTime", "2026-11-21T07:00:00Z"}}}},
                                   "status"));
        make_pod("default", "train-0", "batch.kubernetes.io/job-name", "train", "n1", each);
    }
    std::string usage() {
        const auto job = watched->table().find("a", "default", "Job", "train");
        if (!job) return "no job";
        kcontrol::json::writer out;
        out.begin_object();
        write_usage(out, *job, *watched->usage());
        out.end_object();
        return out.take();
    }
    bool says(const std::string& text, const std::string& part) {
        CAPTURE(text);
        const bool found = text.find(part) != std::string::npos;
        CHECK_MESSAGE(found, part);
        return found;
    }
    // Asked twice: the first has the labelers asked.
    std::string fleet() {
        static_cast<void>(fleet_answer(*watched, ""));
        world.run_for(3s);
        return fleet_answer(*watched, "").body;
    }

    kcontrol::testing::sim_world world;
    kcontrol::testing::sim_server& server = world.add_server("a");
    played_labelers labelers;
    int news = 0;
    std::optional<monitor> watched;
};

}  // namespace

TEST_CASE("usage: the labelers of nodes with a running job are asked, again and again, and no others") {
    fixture f;
    f.labelers.set("labeler-1", "[" + gpu_item(0, "80") + "," + gpu_item(1, "40") + "]");
    f.make_job(2);
    f.start();
    f.says(f.usage(), R"("state":"known","reason":"","gpus":2,"measured":2,"utilization":{"mean":60,"least":40})");
    f.says(f.usage(), R"("memory":{"usedBytes":20,"totalBytes":200},"powerW":140,"xids":[],"idleSince":null)");
    f.world.run_for(5min);
    const auto asked = f.labelers.asked.size();
    CHECK(asked >= 9);
    CHECK(asked <= 12);
    for (const auto& pod : f.labelers.asked) CHECK(pod == "labeler-1");
    CHECK(f.news > 0);
}

TEST_CASE("usage: idle GPUs are told since when, and without a job nobody is asked") {
    fixture f;
    f.labelers.set("labeler-1", "[" + gpu_item(0, "0") + "]");
    f.make_job(1);
    f.start();
    const auto first = f.usage();
    f.says(first, R"("idleSince":"2)");
    const auto since = first.substr(first.find("idleSince"), 34);
    f.world.run_for(10min);
    f.says(f.usage(), since);
    f.labelers.set("labeler-1", "[" + gpu_item(0, "3") + "]");
    f.world.run_for(1min);
    f.says(f.usage(), R"("idleSince":null)");
    REQUIRE(f.server.api().patch(jobs, {"default", "train"},
                                 {{"status",
                                   {{"active", 0},
                                    {"succeeded", 1},
                                    {"completionTime", "2026-11-21T09:00:00Z"},
                                    {"conditions", {{{"type", "Complete"}, {"status", "True"}}}}}}},
                                 "status"));
    f.world.run_for(1min);
    CHECK(f.usage() == R"({"gpuUsage":null})");
    f.labelers.asked.clear();
    f.world.run_for(5min);
    CHECK(f.labelers.asked.empty());
}

TEST_CASE("usage: a labeler that does not answer, or with nonsense, leaves it unknown") {
    fixture f;
    f.make_job(1);
    f.start();
    f.says(f.usage(), R"("state":"unknown","reason":"node n1: its GPU labeler does not answer: )");
    f.labelers.answers["labeler-1"] = http::response(200, "application/json", "<html>");
    f.world.run_for(1min);
    f.says(f.usage(), R"("state":"unknown","reason":"node n1: its GPU labeler does not answer: )");
    CHECK(f.watched->knowledge().rights("a").usage == right_state::given);
}

TEST_CASE("usage: which right is missing is said, and given later it is used") {
    fixture f;
    f.labelers.answers["labeler-1"] =
        http::response(403, "application/json",
                       R"({"kind":"Status","code":403,"reason":"Forbidden","message":"cannot get pods/proxy"})");
    f.make_job(1);
    f.start();
    f.says(f.usage(), R"("state":"unknown","reason":)");
    f.says(f.usage(), "pods/proxy");
    const auto missing = missing_rights(f.watched->knowledge().rights("a"));
    REQUIRE(missing.size() == 1);
    f.says(std::string(missing[0]), "get on pods/proxy");
    f.says(f.fleet(), R"("missingRights":["grant list on pods and get on pods/proxy in namespace gpu-labeler)");
    f.labelers.set("labeler-1", "[" + gpu_item(0, "1") + "]");
    f.world.run_for(1min);
    f.says(f.usage(), R"("state":"known")");
    CHECK(missing_rights(f.watched->knowledge().rights("a")).empty());
}

TEST_CASE("fleet: all nodes are asked while somebody looks, failed GPUs first") {
    fixture f;
    f.labelers.set("labeler-1", "[" + gpu_item(0, "1") + "]");
    f.labelers.set("labeler-2", "[" + gpu_item(0, "null", "failed") + "]");
    f.make_labeler("labeler-3", "n3");
    f.start();
    CHECK(f.labelers.asked.empty());  // no job, and nobody looks
    static_cast<void>(fleet_answer(*f.watched, "look=false"));
    f.world.run_for(3s);
    CHECK(f.labelers.asked.empty());
    f.says(fleet_answer(*f.watched, "").body, R"("state":"loading","reason":"","at":null,"nodes":[])");
    const auto told = f.fleet();
    f.says(told, R"("nodes":[{"node":"n2","state":"ok","reason":"","gpus":[{"index":0,"product":"H100",)"
                 R"("health":"failed")");
    CHECK(told.find(R"("node":"n2")") < told.find(R"("node":"n3","state":"no-response")"));
    CHECK(told.find(R"("node":"n3")") < told.find(R"("node":"n1")"));
    f.says(told, R"("missingRights":[])");
    CHECK(fleet_answer(*f.watched, "look=false").body == told);
    f.world.run_for(3min);
    f.labelers.asked.clear();
    f.world.run_for(5min);
    CHECK(f.labelers.asked.empty());
    CHECK(fleet_answer(*f.watched, "x=1").status == 400);
}

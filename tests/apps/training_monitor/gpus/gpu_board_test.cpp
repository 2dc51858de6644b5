// Nodes of a simulated cluster: when they are listed, and what /api/v1/gpus says.
#include <kcontrol/multicluster/directory_source.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "monitor.hpp"
#include "web/gpus_answer.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>

namespace {

using namespace std::chrono_literals;
using namespace training_monitor;
using kcontrol::json::value;

struct fixture {
    void start() {
        watched.emplace(world.env(), world.get_executor(), options(), world.network().factory(), kcontrol::logger());
        REQUIRE(watched->start(
            std::make_unique<kcontrol::fixed_source>(std::vector{kcontrol::desired_cluster("a", server.config())}),
            {}));
        world.run_for(5s);
    }
    ~fixture() {
        CHECK(world.ends_within(1min, watched->stop()));
        world.run_for(2s);
    }
    void make_node(const std::string& name, const value& gpus) {
        auto& api = server.api();
        REQUIRE(api.create({{"apiVersion", "v1"},
                            {"kind", "Node"},
                            {"metadata", {{"name", name}, {"labels", {{"nvidia.com/gpu.product", "H100"}}}}}}));
        const value status{{"allocatable", {{"nvidia.com/gpu", gpus}}},
                           {"conditions", {{{"type", "Ready"}, {"status", "True"}}}}};
        REQUIRE(api.patch({"", "nodes"}, {"", name}, {{"status", status}}, "status"));
    }
    void make_pod(const std::string& name, const value& node) {
        REQUIRE(server.api().create(
            {{"apiVersion", "v1"},
             {"kind", "Pod"},
             {"metadata",
              {{"name", name}, {"namespace", "default"}, {"labels", {{"batch.kubernetes.io/job-name", "train"}}}}},
             {"spec",
              {{"nodeName", node},
               {"containers",
                {{{"name", "main"}, {"image", "x"}, {"resources", {{"limits", {{"nvidia.com/gpu", "2"}}}}}}}}}}}));
    }
    // Asked twice: the first has the nodes listed.
    std::string answer() {
        static_cast<void>(gpus_answer(*watched, ""));
        world.run_for(1s);
        return gpus_answer(*watched, "").body;
    }

    kcontrol::testing::sim_world world;
    kcontrol::testing::sim_server& server = world.add_server("a");
    std::optional<monitor> watched;
};

}  // namespace

TEST_CASE("gpus: by product, what the training pods there ask for, and what would fit") {
    fixture f;
    f.make_node("n1", "8");
    f.make_node("n2", "8");
    f.make_node("none", "0");
    f.make_pod("train-0", "n1");
    f.make_pod("train-1", "n1");
    f.make_pod("train-2", "");
    f.start();
    CHECK(gpus_answer(*f.watched, "").body.find(R"("state":"loading")") != std::string::npos);
    CHECK(f.answer().find(R"("waiting":2,"products":[{"product":"H100","nodes":2,"usableNodes":2,"allocatable":16,)"
                          R"("asked":4,"free":12,"fits":[{"gpusPerPod":8,"pods":1},{"gpusPerPod":4,"pods":3},)"
                          R"({"gpusPerPod":2,"pods":6},{"gpusPerPod":1,"pods":12}]}],"missingRights":[]})") !=
          std::string::npos);
    CHECK(gpus_answer(*f.watched, "x=1").status == 400);
}

TEST_CASE("gpus: nodes are listed when somebody looks, once a minute at most") {
    fixture f;
    f.make_node("n1", "8");
    f.start();
    f.world.run_for(10min);
    CHECK(f.answer().find(R"("nodes":1)") != std::string::npos);
    f.make_node("n2", "8");
    f.world.run_for(30s);
    CHECK(f.answer().find(R"("nodes":1)") != std::string::npos);
    f.world.run_for(30s);
    CHECK(f.answer().find(R"("nodes":2)") != std::string::npos);
}

TEST_CASE("gpus: without the right to list nodes it is named, and given later it is used") {
    fixture f;
    f.make_node("n1", "8");
    f.server.api().access().forbid({"*", "list", "nodes"});
    f.start();
    const auto refused = f.answer();
    CHECK(refused.find(R"("state":"forbidden")") != std::string::npos);
    CHECK(refused.find(R"("missingRights":["grant list on nodes to see)") != std::string::npos);
    CHECK(f.watched->table().clusters().at(0)->state == "live");
    f.server.api().access().permit_all();
    f.world.run_for(1min);
    CHECK(f.answer().find(R"("state":"known")") != std::string::npos);
}

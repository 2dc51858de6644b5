// What the board counts follows from the nodes, pods and tenants that are there, in whatever order they came.
#include "cluster/board.hpp"

#include <kcontrol/scheduling/cache.hpp>

#include "plugins/gpu_plugin.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace gpu_scheduler;
using kcontrol::scheduling::pod_info;

namespace {

namespace core = kcontrol::api::core::v1;

// Nodes that give shares of one GPU, pods on them and pods that wait.
class board_world {
public:
    std::shared_ptr<board> known = std::make_shared<board>([] { return kcontrol::wall_time(); },
                                                           [](std::string_view) { return kcontrol::dict<text>(); });
    kcontrol::scheduling::cache cache;

    void add_node(const std::string& name, int memory_mib, const std::string& product = "A") {
        core::node made;
        made.metadata.name = name;
        made.metadata.labels["nvidia.com/gpu.product"] = product;
        made.metadata.annotations["hami.io/node-nvidia-register"] =
            R"([{"id":"GPU-)" + name + R"(","index":0,"count":10,"devmem":)" + std::to_string(memory_mib) +
            R"(,"devcore":100,"type":"T","health":true}])";
        made.status.allocatable["cpu"] = "8";
        made.status.allocatable["memory"] = "64Gi";
        made.status.allocatable["pods"] = "100";
        made.status.allocatable["nvidia.com/gpu"] = "10";
        cache.set_node(std::make_shared<const core::node>(std::move(made)));
    }
    // A share of so much memory; it waits if no node is named.
    std::shared_ptr<const core::pod> add_share(const std::string& name, int memory_mib, const std::string& node = {}) {
        core::pod made;
        made.metadata.namespace_ = "nlp";
        made.metadata.name = name;
        made.metadata.uid = "uid-" + name;
        made.spec.node_name = node;
        made.status.phase = "Pending";
        auto& limits = made.spec.containers.emplace_back().resources.limits;
        limits["nvidia.com/gpu"] = "1";
        limits["nvidia.com/gpumem"] = std::to_string(memory_mib);
        if (!node.empty()) {
            device_hold hold;
            hold.uuid = "GPU-" + node;
            hold.memory_mib = memory_mib;
            made.metadata.annotations["scheduling.kcontrol.dev/allocation"] = write_record({hold});
        }
        auto shared = std::make_shared<const core::pod>(std::move(made));
        known->set_waiting(*shared);
        cache.set_pod(std::make_shared<const pod_info>(shared));
        return shared;
    }
    void set_tenant(const std::string& product, std::int64_t gpus, std::int64_t limit = -1) {
        tenant made;
        made.metadata.name = "nlp";
        made.spec.namespaces.push_back("nlp");
        auto& quota = made.spec.quotas.emplace_back();
        quota.product = product;
        quota.gpus = gpus;
        if (limit >= 0) quota.limit = limit;
        known->set_tenants({made});
    }
    const kcontrol::scheduling::snapshot& snapshot() { return cache.prepare(pod_info(std::make_shared<core::pod>())); }
    void refresh() { known->refresh(snapshot()); }
    std::string sums(const std::string& product) {
        refresh();
        return std::to_string(known->book(product).find("nlp")->allocated) + " of " +
               std::to_string(known->requested(product, "nlp")) + ", " + std::to_string(known->pending("nlp"));
    }
};

}  // namespace

TEST_CASE("board: nodes, pods that hold, pods that wait and tenants may come in any order") {
    std::vector<int> order{0, 1, 2, 3, 4};
    do {
        CAPTURE(order[0]);
        CAPTURE(order[1]);
        CAPTURE(order[2]);
        CAPTURE(order[3]);
        board_world w;
        for (const int each : order) {
            switch (each) {
            case 0: w.add_node("large", 40000); break;
            case 1: w.add_node("small", 10000, "B"); break;
            case 2: w.add_share("holds", 5000, "small"); break;
            case 3: w.add_share("waits", 10000); break;
            default: w.set_tenant("B", 1);
            }
            w.refresh();
        }
        CHECK(w.sums("") == "500 of 750, 1");
        CHECK(w.sums("B") == "500 of 500, 1");
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("board: products that tenants have quotas of come, go and come back") {
    board_world w;
    w.add_node("n", 10000, "B");
    w.add_share("holds", 5000, "n");
    w.set_tenant("*", 1);
    CHECK(w.sums("") == "500 of 500, 0");
    w.set_tenant("B", 1);
    CHECK(w.sums("B") == "500 of 500, 0");
    w.set_tenant("*", 1);
    w.set_tenant("B", 1);
    CHECK(w.sums("B") == "500 of 500, 0");
    w.known->forget_namespaces();
    CHECK(w.sums("") == "500 of 500, 0");
}

TEST_CASE("board: what HAMi's scheduler gave before counts by its GPU") {
    board_world w;
    w.add_node("n", 10000);
    core::pod made;
    made.metadata.namespace_ = "nlp";
    made.metadata.name = "theirs";
    made.metadata.uid = "uid-theirs";
    made.spec.node_name = "n";
    made.spec.containers.emplace_back().resources.requests["nvidia.com/gpu"] = "1";
    std::string given = "GPU-n,NVIDIA,4000,40:;";
    int unknown = 0;
    SUBCASE("as it is written") {}
    SUBCASE("unless it can't be read") {
        given = "GPU-n,NVIDIA,4000:;";
        unknown = 1;
    }
    made.metadata.annotations["hami.io/vgpu-devices-allocated"] = given;
    w.cache.set_pod(std::make_shared<const pod_info>(std::make_shared<const core::pod>(std::move(made))));
    w.refresh();
    const auto& ledger = w.known->nodes().front()->ledger;
    CHECK(ledger.use(0).memory_mib == (unknown == 0 ? 4000 : 0));
    CHECK(ledger.use(0).cores == (unknown == 0 ? 40 : 0));
    CHECK(ledger.unknown() == unknown);
}

TEST_CASE("board: what a node can give follows what its pods hold") {
    board_world w;
    w.add_node("n", 10000);
    const auto next = w.add_share("next", 6000);
    const auto request = read_claim(*next).request;
    const auto kind = w.known->kind_of(request, 0);
    const auto gives = [&] {
        w.refresh();
        const auto& node = *w.snapshot().find("n");
        return w.known->answer(w.known->at(node), node, kind, request, 0).best.has_value();
    };
    CHECK(gives());
    w.add_share("holds", 5000, "n");
    CHECK(!gives());
    w.cache.remove_pod("nlp", "holds", "uid-holds");
    CHECK(gives());
    // A record that is not what the pod requests: which GPU it has is not known.
    auto made = *w.add_share("broken", 5000, "n");
    made.metadata.annotations["scheduling.kcontrol.dev/allocation"] = R"({"v":1,"devices":[]})";
    made.spec.containers[0].resources.requests["nvidia.com/gpu"] = "1";
    w.cache.set_pod(std::make_shared<const pod_info>(std::make_shared<const core::pod>(made)));
    w.refresh();
    CHECK(w.known->nodes().front()->ledger.unknown() == 1);
    CHECK(!gives());
}

TEST_CASE("gpu_plugin: a share counts towards a limit as the part of the node's GPU that it is") {
    board_world w;
    w.add_node("large", 40000);
    w.add_node("small", 10000);
    w.add_share("holds", 20000, "large");
    w.set_tenant("*", 0, 1);
    gpu_plugin plugin(w.known, {}, nullptr);
    const auto next = w.add_share("next", 6000);  // 150 thousandths of the large GPU, 600 of the small one
    const pod_info pod(next);
    const auto& nodes = w.snapshot();
    gpu_plugin::state state;
    REQUIRE(plugin.pre_filter(state, pod, nodes).ok());
    CHECK(plugin.filter(state, pod, *nodes.find("large")).ok());
    const auto said = plugin.filter(state, pod, *nodes.find("small"));
    REQUIRE(!said.ok());
    CHECK(said.reason(0).view() == "tenant nlp is at its limit of 1 GPU");
}

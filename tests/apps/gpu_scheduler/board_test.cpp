// What the board counts follows from the nodes, pods and tenants that are there, in whatever order they came.
#include "cluster/board.hpp"

#include <kcontrol/scheduling/trial.hpp>

#include "board_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace gpu_scheduler;
using gpu_scheduler::test::board_world;
using kcontrol::scheduling::pod_info;

namespace {

namespace core = kcontrol::api::core::v1;

std::shared_ptr<const pod_info> info_of(core::pod pod) {
    return std::make_shared<const pod_info>(std::make_shared<const core::pod>(std::move(pod)));
}

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
}

TEST_CASE("board: labels of a namespace count where another tenant follows from them") {
    board_world w;
    w.add_node("n", 10000, "B");
    w.add_share("holds", 5000, "n");
    tenant made;
    made.metadata.name = "nlp";
    made.spec.namespace_selector.emplace().match_labels["team"] = "nlp";
    w.known->set_tenants({made});
    CHECK(!w.known->forget_namespace("never-seen"));
    CHECK(w.sums("") == "0 of 0, 0");
    w.labels["nlp"]["team"] = "nlp";
    CHECK(w.sums("") == "0 of 0, 0");
    CHECK(w.known->forget_namespace("nlp"));
    CHECK(w.sums("") == "500 of 500, 0");
    w.labels["nlp"]["cost-center"] = "7";
    CHECK(!w.known->forget_namespace("nlp"));
    CHECK(!w.known->nodes().empty());
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

TEST_CASE("board: a record counts if it is what the pod requests; else its number of GPUs does") {
    struct row {
        const char* name;
        board_world::amounts limits;
        std::vector<device_hold> record;
        int wholes, memory, unknown;
    };
    const auto whole = [](int i) { return board_world::device("n/" + std::to_string(i)); };
    auto slice = whole(0);
    slice.profile = "1g.5gb";
    const row rows[] = {
        {"as requested", {{"nvidia.com/gpu", "2"}}, {whole(0), whole(1)}, 2, 0, 0},
        {"fewer", {{"nvidia.com/gpu", "2"}}, {whole(0)}, 0, 0, 2},
        {"more", {{"nvidia.com/gpu", "1"}}, {whole(0), whole(1)}, 0, 0, 1},
        {"a share for a GPU", {{"nvidia.com/gpu", "1"}}, {board_world::device("n/0", 100)}, 0, 0, 1},
        {"a GPU for a share", {{"nvidia.com/gpu", "1"}, {"nvidia.com/gpumem", "100"}}, {whole(0)}, 0, 0, 1},
        {"a slice for a GPU", {{"nvidia.com/gpu", "1"}}, {slice}, 0, 0, 1},
    };
    for (const auto& each : rows) {
        CAPTURE(each.name);
        board_world w;
        w.add_plain_node("n", 4);
        w.put(board_world::pod("p", each.limits, "n", each.record));
        w.refresh();
        const auto& ledger = w.at("n").ledger;
        int wholes = 0;
        for (std::size_t i = 0; i < 4; ++i) wholes += ledger.use(i).wholes;
        CHECK(wholes == each.wholes);
        CHECK(ledger.use(0).memory_mib == each.memory);
        CHECK(ledger.unknown() == each.unknown);
    }
}

TEST_CASE("board: a pod for which a place is kept gets what those with a record leave, in any order of names") {
    for (const char* kept : {"a", "z"}) {
        CAPTURE(kept);
        board_world w;
        w.add_plain_node("n", 2);
        w.refresh();
        kcontrol::scheduling::trial with(w.cache);
        // As the binding shows it before the watch does: a record, and no node yet.
        const auto first = board_world::pod(kept, {{"nvidia.com/gpu", "1"}});
        const auto decided = board_world::pod("decided", {{"nvidia.com/gpu", "1"}}, "", {board_world::device("n/0")});
        REQUIRE(with.place(info_of(first), "n"));
        REQUIRE(with.place(info_of(decided), "n"));
        std::string held;
        for (const auto& each : w.at("n").holdings) held += each.pod + " " + each.devices.at(0).uuid + ";";
        CHECK(held == "nlp/decided n/0;nlp/" + std::string(kept) + " n/1;");
    }
}

TEST_CASE("board: a pod for which a place is kept counts by its memory") {
    board_world w;
    w.add_node("n", 10000);
    w.refresh();
    kcontrol::scheduling::trial with(w.cache);
    REQUIRE(
        with.place(info_of(board_world::pod("kept", {{"nvidia.com/gpu", "1"}, {"nvidia.com/gpumem", "6000"}})), "n"));
    auto& on = w.at("n");
    CHECK(on.ledger.use(0).memory_mib == 6000);
    CHECK(on.ledger.unknown() == 0);
    const auto fits = [&](const char* memory) {
        const auto pod = board_world::pod("next", {{"nvidia.com/gpu", "1"}, {"nvidia.com/gpumem", memory}});
        const auto request = read_claim(pod).request;
        const auto kind = w.known->kind_of(request, 0);
        return w.known->answer(on, *w.snapshot().find("n"), kind, request, 0).best.has_value();
    };
    CHECK(fits("4000"));
    CHECK(!fits("4001"));
}

TEST_CASE("board: a tenant's status changes no sum") {
    board_world w;
    w.add_node("n", 10000);
    w.add_share("holds", 5000, "n");
    w.set_tenant("*", 1);
    w.refresh();
    const auto* before = w.known->nodes().front().get();
    auto told = w.known->tenants();
    told.front().status.pending = 7;
    w.known->set_tenants(told);
    CHECK(w.known->tenants().front().status.pending == 7);
    CHECK(w.known->nodes().front().get() == before);
    told.front().spec.weight = 2;
    w.known->set_tenants(told);
    CHECK(w.known->nodes().empty());
    CHECK(w.sums("") == "500 of 500, 0");
}

#include "metrics/dcgm_metrics.hpp"

#include <kcontrol/testing/manual_environment.hpp>

#include "health/known_gpus.hpp"
#include "health/read_sample.hpp"
#include "support/fake_nvml.hpp"
#include "support/golden.hpp"

#include <doctest/doctest.h>

using namespace gpu_labeler;
using gpu_labeler::test::check_golden;
using gpu_labeler::test::fake_nvml;
using gpu_labeler::test::recorded;

namespace {

constexpr kcontrol::wall_time noon{std::chrono::hours(12) + std::chrono::milliseconds(500)};

node_sample sample_of(const std::string& inventory) {
    const fake_nvml machine(inventory);
    kcontrol::testing::manual_environment env;
    auto node = read_sample(*machine.make_session(env));
    node.time = noon;
    known_gpus().complete(node);
    return node;
}

}  // namespace

TEST_CASE("metrics: golden texts") {
    for (const auto* name : {"t4", "h100-x8", "dgx-1v", "a100-mig-single", "no-gpu"}) {
        check_golden(std::string("metrics/") + name + ".txt", dcgm_metrics(sample_of(recorded(name)), "node-1"));
    }
}

TEST_CASE("metrics: pods, XIDs, a lost GPU and strange names") {
    auto node =
        sample_of(recorded("a100-mig-single") + "gpu name=say_\"hi\"\\ uuid=GPU-2 bus=2 memory_mib=1024 cc=8.0\n" +
                  "gpu uuid=GPU-3\nfault call=nvmlDeviceGetUUID gpu=3 return=15\n");
    REQUIRE(node.gpus.size() == 4);
    // 4 links of which one is down; both directions make 12.5 GB/s, which DCGM calls 12207.
    node.gpus[0].nvlink = nvlink_sample{4, 3, 1'000'000'000'000, 2'000'000'000'000, 10e9, 2.5e9};
    node.gpus[1].nvlink = nvlink_sample{4, 4, 5, std::nullopt, 10e9, std::nullopt};
    node.gpus[2].vgpu_licensed = true;
    node.gpus[0].users = {{"team-a", "train-0", "main", node.gpus[0].migs[1].uuid}};
    node.gpus[2].users = {{"team-a", "shared-0", "main", ""}, {"team-b", "shared-1", "main", ""}};
    node.gpus[2].xid = xid_report{79, noon, {{13, 4}, {79, 1}}};
    check_golden("metrics/pods-and-faults.txt", dcgm_metrics(node, "node \"1\""));
}

TEST_CASE("metrics: while a call hangs the state and the GPUs' health are told, and no old values") {
    known_gpus known;
    auto good = sample_of(recorded("t4"));
    known.complete(good);
    node_sample hanging;
    hanging.state = reader_state::hanging;
    hanging.message = "nvmlDeviceGetCount_v2 has not returned for 5000 ms; the driver hangs";
    hanging.time = noon;
    known.complete(hanging);
    check_golden("metrics/hanging.txt", dcgm_metrics(hanging, "node-1"));
    check_golden("metrics/starting.txt", dcgm_metrics(node_sample(), "node-1"));
}

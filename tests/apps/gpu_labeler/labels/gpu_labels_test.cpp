// What the recorded inventories of tests/fake_nvml do not cover: sharing, disagreeing GPUs, odd versions.
#include "labels/gpu_labels.hpp"

#include <doctest/doctest.h>

using namespace gpu_labeler;

namespace {

gpu a100(unsigned index) {
    gpu g;
    g.index = index;
    g.name = "NVIDIA A100-SXM4-40GB";
    g.memory_bytes = std::uint64_t{40960} << 20;
    g.compute = compute_version{8, 0};
    g.pci_class = 0x030200;
    g.mig_enabled = false;
    return g;
}

inventory two() {
    inventory found;
    found.driver_version = "550.107.02";
    found.cuda_version = 12040;
    found.gpus = {a100(0), a100(1)};
    return found;
}

std::string label(const label_map& labels, const std::string& suffix) {
    const auto at = labels.find("nvidia.com/" + suffix);
    return at == labels.end() ? "(none)" : at->second;
}

label_options time_sliced(unsigned replicas, bool renamed) {
    sharing how;
    how.kind = sharing_kind::time_slicing;
    how.resources["nvidia.com/gpu"] = {replicas, renamed};
    return label_options().shared(std::move(how));
}

}  // namespace

TEST_CASE("labels: shared GPUs") {
    const auto shared = gpu_labels(two(), time_sliced(4, false));
    CHECK(label(shared, "gpu.product") == "NVIDIA-A100-SXM4-40GB-SHARED");
    CHECK(label(shared, "gpu.replicas") == "4");
    CHECK(label(shared, "gpu.sharing-strategy") == "time-slicing");
    CHECK(label(shared, "gpu.count") == "2");
    CHECK(label(shared, "mps.capable") == "false");

    const auto renamed = gpu_labels(two(), time_sliced(4, true));
    CHECK(label(renamed, "gpu.product") == "NVIDIA-A100-SXM4-40GB");
    CHECK(label(renamed, "gpu.replicas") == "4");

    const auto once = gpu_labels(two(), time_sliced(1, false));
    CHECK(label(once, "gpu.product") == "NVIDIA-A100-SXM4-40GB");
    CHECK(label(once, "gpu.sharing-strategy") == "none");

    auto mps = time_sliced(2, false);
    auto by_mps = mps.shared();
    by_mps.kind = sharing_kind::mps;
    mps.shared(by_mps);
    CHECK(label(gpu_labels(two(), mps), "mps.capable") == "true");
    CHECK(label(gpu_labels(two(), mps), "gpu.sharing-strategy") == "mps");
    auto divided = two();
    divided.gpus[1].mig_enabled = true;
    CHECK(label(gpu_labels(divided, mps), "mps.capable") == "false");
}

TEST_CASE("labels: a mark is kept where the name is too long for both") {
    auto found = two();
    for (auto& g : found.gpus) g.name = std::string(90, 'x');
    CHECK(label(gpu_labels(found, time_sliced(4, false)), "gpu.product") == std::string(56, 'x') + "-SHARED");
}

TEST_CASE("labels: the mode is told where all GPUs have it") {
    auto found = two();
    CHECK(label(gpu_labels(found, {}), "gpu.mode") == "compute");
    found.gpus[1].pci_class = 0x030000;
    CHECK(label(gpu_labels(found, {}), "gpu.mode") == "unknown");
    found.gpus[0].pci_class = 0x030000;
    CHECK(label(gpu_labels(found, {}), "gpu.mode") == "graphics");
    found.gpus[0].pci_class = std::nullopt;
    CHECK(label(gpu_labels(found, {}), "gpu.mode") == "unknown");
}

TEST_CASE("labels: a clique is told where all GPUs that have one have the same") {
    auto found = two();
    found.gpus[0].fabric = fabric_place{"00112233-4455-6677-8899-aabbccddeeff", 3};
    CHECK(label(gpu_labels(found, {}), "gpu.clique") == "00112233-4455-6677-8899-aabbccddeeff.3");
    found.gpus[1].fabric = fabric_place{"00112233-4455-6677-8899-aabbccddeeff", 4};
    CHECK(label(gpu_labels(found, {}), "gpu.clique") == "(none)");
}

TEST_CASE("labels: versions, and what is not known is not told") {
    auto found = two();
    found.driver_version = "470.57";
    CHECK(label(gpu_labels(found, {}), "cuda.driver-version.revision").empty());
    CHECK(label(gpu_labels(found, {}), "cuda.driver.minor") == "57");
    found.driver_version = "R999";
    found.cuda_version = std::nullopt;
    CHECK(label(gpu_labels(found, {}), "cuda.driver-version.full") == "(none)");
    CHECK(label(gpu_labels(found, {}), "cuda.runtime.major") == "(none)");
    found.gpus[0].compute = found.gpus[1].compute = std::nullopt;
    CHECK(label(gpu_labels(found, {}), "gpu.family") == "(none)");
    const auto o = label_options().machine(" PowerEdge R750xa\n").started(1700000000);
    CHECK(label(gpu_labels(found, o), "gpu.machine") == "PowerEdge-R750xa");
    CHECK(label(gpu_labels(found, o), "gfd.timestamp") == "1700000000");
    CHECK(gpu_labels({}, o).size() == 1);
    CHECK(gpu_labels({}, {}).empty());
}

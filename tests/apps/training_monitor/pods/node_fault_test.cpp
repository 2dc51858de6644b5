// Which failures a fault of a node's GPU explains.
#include "pods/node_fault.hpp"

#include <doctest/doctest.h>

using namespace training_monitor;

namespace {

training_node node(std::string status, std::string message, std::string type = std::string(gpu_condition)) {
    training_node out;
    out.metadata.name = "gpu-3";
    out.status.conditions.push_back({"Ready", "True", "KubeletReady", "", "2026-11-20T00:00:00Z"});
    out.status.conditions.push_back(
        {std::move(type), std::move(status), "GPUFailed", std::move(message), "2026-11-21T10:00:00Z"});
    return out;
}

constexpr std::int64_t fault_at = 1795255200;  // 2026-11-21T10:00:00Z

}  // namespace

TEST_CASE("a node's fault is the labeler's condition, if it is False") {
    const auto fault = fault_of(node("False", "GPU 3 (GPU-a): XID 79: the GPU has fallen off the bus"));
    REQUIRE(fault);
    CHECK(fault->kind == "Node");
    CHECK(fault->name == "gpu-3");
    CHECK(fault->reason == "GPUFailed");
    CHECK(fault->last_seen == fault_at);
    CHECK_FALSE(fault_of(node("True", "8 GPUs answer")));
    CHECK_FALSE(fault_of(node("Unknown", "")));
    CHECK_FALSE(fault_of(node("False", "GPU 3: XID 79", "Ready")));
    CHECK_FALSE(fault_of(training_node()));
}

TEST_CASE("a fault in short") {
    CHECK(short_fault("GPU 3 (GPU-a): XID 79: the GPU has fallen off the bus; GPU 4: XID 48") == "XID 79 of GPU 3");
    CHECK(short_fault("GPU 12: XID 119") == "XID 119 of GPU 12");
    CHECK(short_fault("GPU 0: the driver asks for a reset of the GPU; GPU 1: XID 79") ==
          "the driver asks for a reset of the GPU (GPU 0)");
    for (const auto* odd : {"", "GPU", "GPU x: XID 79", "GPU 3 XID 79", "8 GPUs answer, and none has an error"}) {
        CHECK(short_fault(odd) == "");
    }
}

TEST_CASE("a fault explains what failed on its node within ten minutes") {
    const std::vector<object_event> events{*fault_of(node("False", "GPU 3 (GPU-a): XID 79: off the bus"))};
    const auto clause = [&](std::string name, std::optional<std::int64_t> after) {
        return fault_clause(
            job_failure{std::move(name), 1, "", after ? std::optional(fault_at + *after) : std::nullopt}, events);
    };
    CHECK(clause("gpu-3", 40) == ", 40 s after XID 79 of GPU 3");
    CHECK(clause("gpu-3", 119) == ", 119 s after XID 79 of GPU 3");
    CHECK(clause("gpu-3", 599) == ", 9 min after XID 79 of GPU 3");
    CHECK(clause("gpu-3", 601) == "");
    CHECK(clause("gpu-3", 0) == ", with XID 79 of GPU 3");
    CHECK(clause("gpu-3", -30) == ", with XID 79 of GPU 3");
    CHECK(clause("gpu-3", -31) == "");
    CHECK(clause("gpu-4", 40) == "");
    CHECK(clause("", 40) == "");
    CHECK(clause("gpu-3", std::nullopt) == "");
}

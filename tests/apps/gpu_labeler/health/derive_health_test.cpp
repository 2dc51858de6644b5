#include "health/derive_health.hpp"

#include <doctest/doctest.h>

using namespace gpu_labeler;

namespace {

gpu_sample with_xids(std::map<std::uint64_t, std::uint64_t> counts) {
    gpu_sample gpu;
    gpu.xid = xid_report{counts.begin()->first, {}, std::move(counts)};
    return gpu;
}

}  // namespace

TEST_CASE("health: nothing told is no reason to worry") { CHECK(derive_health(gpu_sample()) == health_verdict()); }

TEST_CASE("health: one that failed stays so, with its reason") {
    gpu_sample gpu;
    gpu.health = gpu_health::failed;
    gpu.reason = "the GPU is lost";
    gpu.recovery_action = 0;
    CHECK(derive_health(gpu) == health_verdict{gpu_health::failed, "the GPU is lost"});
}

TEST_CASE("health: the recovery that the driver asks for") {
    const std::pair<unsigned, gpu_health> table[] = {
        {0, gpu_health::ok},       {1, gpu_health::failed},   {2, gpu_health::failed},  {3, gpu_health::degraded},
        {4, gpu_health::degraded}, {5, gpu_health::degraded}, {9, gpu_health::degraded}};
    for (const auto& one : table) {
        const auto& action = one.first;
        const auto& expected = one.second;
        gpu_sample gpu;
        gpu.recovery_action = action;
        const auto verdict = derive_health(gpu);
        CHECK_MESSAGE(verdict.health == expected, action);
        CHECK_MESSAGE(verdict.reason.empty() == (expected == gpu_health::ok), action);
    }
}

TEST_CASE("health: XIDs of programs, of the GPU, and unknown ones") {
    const std::pair<std::uint64_t, gpu_health> table[] = {
        {13, gpu_health::ok},       {31, gpu_health::ok},      {43, gpu_health::ok},       {45, gpu_health::ok},
        {68, gpu_health::ok},       {109, gpu_health::ok},     {154, gpu_health::ok},      {48, gpu_health::failed},
        {64, gpu_health::failed},   {74, gpu_health::failed},  {79, gpu_health::failed},   {92, gpu_health::failed},
        {94, gpu_health::failed},   {95, gpu_health::failed},  {119, gpu_health::failed},  {120, gpu_health::failed},
        {63, gpu_health::degraded}, {7, gpu_health::degraded}, {999, gpu_health::degraded}};
    for (const auto& one : table) {
        const auto& xid = one.first;
        const auto& expected = one.second;
        const auto verdict = derive_health(with_xids({{xid, 1}}));
        CHECK_MESSAGE(verdict.health == expected, xid);
        if (expected != gpu_health::ok) CHECK(verdict.reason.starts_with("XID " + std::to_string(xid)));
    }
    CHECK(derive_health(with_xids({{79, 1}})).reason == "XID 79: the GPU has fallen off the bus");
    CHECK(derive_health(with_xids({{13, 5}, {79, 1}})).health == gpu_health::failed);
}

TEST_CASE("health: the driver knows whether a past XID still matters") {
    auto gpu = with_xids({{95, 1}});
    gpu.recovery_action = 0;
    CHECK(derive_health(gpu).health == gpu_health::ok);
    gpu.recovery_action = 1;
    CHECK(derive_health(gpu).health == gpu_health::failed);
}

TEST_CASE("health: a GPU that fell off the bus is never told as well, whatever the driver says of it") {
    auto gpu = with_xids({{79, 1}});
    for (const unsigned action : {0U, 3U}) {
        gpu.recovery_action = action;
        CHECK(derive_health(gpu) == health_verdict{gpu_health::failed, "XID 79: the GPU has fallen off the bus"});
    }
}

TEST_CASE("health: memory") {
    gpu_sample gpu;
    gpu.ecc_corrected_volatile = 7;
    gpu.ecc_uncorrected_aggregate = 3;
    gpu.ecc_uncorrected_volatile = 0;
    gpu.row_remap_pending = false;
    gpu.row_remap_failed = false;
    gpu.pages_pending = false;
    CHECK(derive_health(gpu) == health_verdict());
    gpu.ecc_uncorrected_volatile = 1;
    CHECK(derive_health(gpu).health == gpu_health::degraded);
    gpu.row_remap_failed = true;
    CHECK(derive_health(gpu).reason == "rows of its memory can't be remapped any more; replace the GPU");
    for (auto part : {&gpu_sample::row_remap_pending, &gpu_sample::pages_pending}) {
        gpu_sample waiting;
        waiting.*part = true;
        CHECK(derive_health(waiting).health == gpu_health::degraded);
    }
}

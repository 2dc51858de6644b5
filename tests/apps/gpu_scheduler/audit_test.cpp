// What pods say of the scheduler's work.
#include "control/audit.hpp"

#include <kcontrol/api/resource/v1.hpp>
#include <kcontrol/codec/codec.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <string>

using namespace kcontrol;
using namespace std::chrono_literals;
using gpu_scheduler::gang_waits;
using gpu_scheduler::node_ledger;
using gpu_scheduler::overcommit_check;

namespace {

api::core::v1::pod pod(const std::string& name, const std::string& devices, const std::string& more = "") {
    std::string annotation;
    if (!devices.empty()) {
        for (const char c : R"({"v":1,"devices":[)" + devices + "]}")
            annotation += c == '"' ? std::string("\\\"") : std::string(1, c);
        annotation = R"(,"annotations":{"scheduling.kcontrol.dev/allocation":")" + annotation + "\"}";
    }
    return from_json<api::core::v1::pod>(R"({"metadata":{"name":")" + name + R"(","namespace":"a","uid":")" + name +
                                         "\"" + annotation + R"(},"spec":{"nodeName":"n"}})" + more)
        .value();
}

node_ledger devices() {
    gpu_scheduler::node_devices out;
    out.source = gpu_scheduler::device_source::topology;
    out.product = "NVIDIA-A100-SXM4-40GB";
    for (unsigned i = 0; i < 2; ++i) {
        auto& one = out.gpus.emplace_back();
        one.uuid = "GPU-" + std::to_string(i);
        one.index = i;
        one.memory_mib = 40960;
        one.is_divided = i == 1;
    }
    return node_ledger(out);
}

const std::string whole = R"({"uuid":"GPU-0"})", half = R"({"uuid":"GPU-0","memoryMiB":20480,"cores":50})",
                  slice_0 = R"({"uuid":"GPU-1","mig":"1g.5gb","start":0})",
                  slice_1 = R"({"uuid":"GPU-1","mig":"1g.5gb","start":1})",
                  large = R"({"uuid":"GPU-1","mig":"2g.10gb","start":0})";

}  // namespace

TEST_CASE("audit: what is given twice counts, once for each GPU") {
    struct row {
        std::vector<std::string> devices;
        std::uint64_t total;
    };
    const row table[] = {
        {{whole}, 0},
        {{whole, whole}, 1},
        {{whole, whole, whole}, 1},
        {{half, half}, 0},
        {{half, half, half}, 1},
        {{half, whole}, 1},
        {{R"({"uuid":"GPU-0","memoryMiB":1,"cores":60})", R"({"uuid":"GPU-0","memoryMiB":1,"cores":50})"}, 1},
        {{slice_0, slice_1}, 0},
        {{slice_0, slice_0}, 1},
        {{slice_1, large}, 1},
        {{whole, slice_0}, 0},
        {{whole + "," + slice_0, half + "," + slice_0}, 2},
        {{"", ""}, 0},
    };
    const auto on = devices();
    for (const auto& row : table) {
        CAPTURE(row.devices.front());
        overcommit_check check;
        for (std::size_t i = 0; i < row.devices.size(); ++i) {
            for (int again = 0; again < 2; ++again) check.set(pod("p" + std::to_string(i), row.devices[i]), false, &on);
        }
        CHECK(check.total() == row.total);
    }
}

TEST_CASE("audit: what has ended or was deleted is free again") {
    const auto on = devices();
    overcommit_check check;
    check.set(pod("a", whole), false, &on);
    auto ended = pod("a", whole);
    ended.status.phase = "Succeeded";
    check.set(ended, false, &on);
    check.set(pod("b", whole), false, &on);
    check.set(pod("b", whole), true, &on);
    check.set(pod("c", whole), false, nullptr);
    CHECK(check.total() == 0);
    check.set(pod("d", whole), false, nullptr);  // seen without its node, too
    CHECK(check.total() == 1);
    check.set(pod("d", whole), true, &on);
    check.set(pod("e", whole), false, &on);
    CHECK(check.total() == 2);
}

TEST_CASE("audit: devices that several claims have count, once for each device") {
    const auto on = devices();
    overcommit_check check;
    const auto set = [&](const std::string& name, const std::vector<std::string>& given, bool is_special = false) {
        api::resource::v1::resource_claim claim;
        std::vector<gpu_scheduler::device_hold> gpus;
        for (const auto& each : given) {
            auto& made = claim.status.allocation.edit().devices.results.emplace_back();
            made.driver = "gpu.nvidia.com";
            made.pool = "n";
            made.device = each;
            if (is_special) made.admin_access = true;
            if (!is_special) gpus.emplace_back().uuid = each;
        }
        for (int again = 0; again < 2; ++again) check.set({"a", name}, &claim, "n", gpus, &on);
    };
    set("c", {"GPU-0", "x"});
    set("d", {"y"});
    set("watches", {"GPU-0"}, true);
    CHECK(check.total() == 0);
    set("d", {"y", "x"});  // by device and by GPU
    CHECK(check.total() == 2);
    set("d", {"y", "x", "GPU-0"});
    CHECK(check.total() == 4);
    set("d", {});
    set("e", {"y"});
    CHECK(check.total() == 4);
    check.set({"a", "c"}, nullptr, "", {}, nullptr);
    set("f", {"GPU-0", "x"});
    CHECK(check.total() == 4);
    // A pod with a record beside a claim.
    check.set(pod("p", whole), false, &on);
    CHECK(check.total() == 5);
}

TEST_CASE("audit: a gang waits from its first pod until none of it waits") {
    const auto member = [](const std::string& name, const std::string& node, const std::string& created) {
        return from_json<api::core::v1::pod>(
                   R"({"metadata":{"name":")" + name + R"(","namespace":"a","uid":")" + name +
                   R"(","creationTimestamp":"2026-11-29T12:00:)" + created +
                   R"(Z","labels":{"scheduling.kcontrol.dev/gang":"g"},"annotations":{"scheduling.kcontrol.dev/gang-size":"2"}},)" +
                   R"("spec":{"nodeName":")" + node + R"("},"status":{"phase":"Pending"}})")
            .value();
    };
    const auto noon = member("m0", "", "00").metadata.creation_timestamp.value();
    gang_waits waits;
    CHECK_FALSE(waits.set(member("m1", "", "05"), false, noon + 5s));
    CHECK_FALSE(waits.set(member("m0", "", "00"), false, noon + 6s));
    CHECK_FALSE(waits.set(member("m0", "n", "00"), false, noon + 20s));
    CHECK(waits.set(member("m1", "n", "05"), false, noon + 21s) == wall_time::duration(21s));
    CHECK_FALSE(waits.set(member("m1", "n", "05"), false, noon + 22s));
    // One that is deleted while it waits ends no wait.
    CHECK_FALSE(waits.set(member("m2", "", "30"), false, noon + 30s));
    CHECK_FALSE(waits.set(member("m2", "", "30"), true, noon + 31s));
    CHECK_FALSE(waits.set(pod("alone", ""), false, noon));
}

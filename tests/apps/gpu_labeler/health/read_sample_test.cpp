#include "health/read_sample.hpp"

#include <kcontrol/testing/manual_environment.hpp>

#include "support/fake_nvml.hpp"

#include <doctest/doctest.h>

using namespace gpu_labeler;
using gpu_labeler::test::fake_nvml;
using gpu_labeler::test::recorded;

namespace {

constexpr std::uint64_t mib = 1 << 20;
const std::string t4 = "gpu name=Tesla_T4 uuid=GPU-0 bus=00000000:00:1E.0 memory_mib=15360 cc=7.5 util=3 mem_util=1\n";
const std::string t4_too = "gpu name=Tesla_T4 uuid=GPU-1 bus=00000000:00:1F.0 memory_mib=15360 cc=7.5\n";

}  // namespace

TEST_CASE("sample: all that an H100 measures") {
    const fake_nvml machine(recorded("h100-x8"));
    kcontrol::testing::manual_environment env;
    const auto node = read_sample(*machine.make_session(env));
    CHECK(node.state == reader_state::ok);
    CHECK(node.message.empty());
    CHECK(node.driver_version == "560.35.03");
    CHECK(node.cuda_version == 12060);
    REQUIRE(node.gpus.size() == 8);
    const auto& gpu = node.gpus[2];
    CHECK(gpu.index == 2);
    CHECK(gpu.uuid.starts_with("GPU-"));
    CHECK(gpu.name == "NVIDIA H100 80GB HBM3");
    CHECK_FALSE(gpu.bus_id.empty());
    CHECK(gpu.minor == 2U);
    CHECK(gpu.health == gpu_health::ok);
    CHECK(gpu.temperature_celsius == 53.0);
    CHECK(gpu.memory_temperature_celsius == 59.0);
    CHECK(gpu.power_watts == doctest::Approx(536.46));
    CHECK(gpu.power_limit_watts == 700.0);
    CHECK(gpu.energy_joules == doctest::Approx(2962962.963));
    CHECK(gpu.gpu_percent == 74U);
    CHECK(gpu.memory_percent == 37U);
    CHECK(gpu.encoder_percent == 0U);
    CHECK(gpu.decoder_percent == 0U);
    CHECK(gpu.memory_total_bytes == 81559 * mib);
    CHECK(gpu.memory_reserved_bytes == 544 * mib);
    CHECK(*gpu.memory_used_bytes + *gpu.memory_free_bytes + *gpu.memory_reserved_bytes == 81559 * mib);
    CHECK(gpu.sm_clock_mhz == 1980U);
    CHECK(gpu.memory_clock_mhz == 2619U);
    CHECK(gpu.pcie_replays == 0U);
    CHECK(gpu.ecc_corrected_volatile == 0U);
    CHECK(gpu.ecc_corrected_aggregate == 2U);
    CHECK(gpu.ecc_uncorrected_volatile == 0U);
    CHECK(gpu.ecc_uncorrected_aggregate == 0U);
    CHECK(gpu.rows_remapped_corrected == 0U);
    CHECK(gpu.row_remap_pending == false);
    CHECK(gpu.row_remap_failed == false);
    CHECK_FALSE(gpu.pages_pending);
    CHECK(gpu.recovery_action == 0U);
    CHECK(gpu.vgpu_licensed == false);
    nvlink_sample links;
    links.links = links.active = 18;
    links.transmitted_bytes = 5'002'000'006ULL << 10;
    links.received_bytes = 5'001'999'006ULL << 10;
    CHECK(gpu.nvlink == links);
}

TEST_CASE("sample: NVLinks that are down, and counters that a driver has not") {
    const auto nvlink_of = [](const std::string& more) {
        const fake_nvml machine("gpu name=A uuid=GPU-0 bus=0 memory_mib=1024 cc=9.0 " + more + "\n");
        kcontrol::testing::manual_environment env;
        return read_sample(*machine.make_session(env)).gpus.at(0).nvlink;
    };
    CHECK_FALSE(nvlink_of(""));
    CHECK_FALSE(nvlink_of("nvlink_tx_kib=4 nvlink_rx_kib=5"));
    const auto some = nvlink_of("switch_links=4 inactive_links=2 nvlink_tx_kib=18446744073 nvlink_rx_kib=1");
    REQUIRE(some);
    CHECK(some->links == 6);
    CHECK(some->active == 4);
    CHECK(some->transmitted_bytes == 18446744073ULL << 10);
    CHECK(some->received_bytes == 1024U);
    CHECK_FALSE(some->transmit_rate);
    const auto down = nvlink_of("inactive_links=12");
    REQUIRE(down);
    CHECK(down->links == 12);
    CHECK(down->active == 0);
    CHECK_FALSE(down->transmitted_bytes);
    CHECK_FALSE(down->received_bytes);
    // Those that say nothing of one link have others.
    const auto faulty = nvlink_of("switch_links=4\nfault call=nvmlDeviceGetNvLinkState after=3 return=4");
    REQUIRE(faulty);
    CHECK(faulty->links == 3);
}

TEST_CASE("sample: the licence of a vGPU") {
    const std::pair<const char*, std::optional<bool>> table[] = {
        {"", std::nullopt}, {"licence=no", false}, {"licence=unlicensed", false}, {"licence=yes", true}};
    for (const auto& each : table) {
        const auto& [said, licensed] = each;
        CAPTURE(each.first);
        const fake_nvml machine(std::string("gpu name=A uuid=GPU-0 bus=0 memory_mib=1024 cc=9.0 ") + said + "\n");
        kcontrol::testing::manual_environment env;
        CHECK(read_sample(*machine.make_session(env)).gpus.at(0).vgpu_licensed == licensed);
    }
}

TEST_CASE("sample: what a GPU does not tell is nothing, not zero") {
    const fake_nvml machine(t4_too);
    kcontrol::testing::manual_environment env;
    const auto node = read_sample(*machine.make_session(env));
    REQUIRE(node.gpus.size() == 1);
    gpu_sample expected;
    expected.uuid = "GPU-1";
    expected.name = "Tesla T4";
    expected.bus_id = "00000000:00:1F.0";
    expected.memory_total_bytes = expected.memory_free_bytes = 15360 * mib;
    expected.memory_used_bytes = expected.memory_reserved_bytes = 0;
    CHECK(node.gpus[0] == expected);
}

TEST_CASE("sample: a GPU that is divided has no utilisation of its own, and tells of its parts") {
    const fake_nvml machine(recorded("a100-mig-single"));
    kcontrol::testing::manual_environment env;
    const auto node = read_sample(*machine.make_session(env));
    REQUIRE(node.gpus.size() == 2);
    const auto& gpu = node.gpus[1];
    CHECK_FALSE(gpu.gpu_percent);
    CHECK_FALSE(gpu.memory_percent);
    CHECK_FALSE(gpu.encoder_percent);
    CHECK(gpu.temperature_celsius == 45.0);
    REQUIRE(gpu.migs.size() == 7);
    mig_sample expected;
    expected.uuid = "MIG-00000001-0000-5000-8000-000000000000";
    expected.profile = "1g.5gb";
    expected.gpu_instance = 7;
    expected.memory_total_bytes = 4864 * mib;
    expected.memory_used_bytes = 27 * mib;
    expected.memory_free_bytes = (4864 - 27) * mib;
    CHECK(gpu.migs[0] == expected);
}

TEST_CASE("sample: an old driver tells what it can") {
    const fake_nvml machine(recorded("dgx-1v"), gpu_labeler::test::fake_nvml_of_2018_library());
    kcontrol::testing::manual_environment env;
    const auto node = read_sample(*machine.make_session(env));
    REQUIRE(node.gpus.size() == 8);
    const auto& gpu = node.gpus[1];
    CHECK(gpu.memory_total_bytes == 16160 * mib);
    CHECK(gpu.memory_used_bytes);
    CHECK_FALSE(gpu.memory_reserved_bytes);
    CHECK_FALSE(gpu.memory_temperature_celsius);
    CHECK(gpu.gpu_percent == 37U);
    CHECK(gpu.pages_pending == false);
    REQUIRE(gpu.nvlink);  // of their data such a driver does not tell
    CHECK(gpu.nvlink->active == 6);
    CHECK_FALSE(gpu.nvlink->transmitted_bytes);
}

TEST_CASE("sample: how NVML fails is a state with a message, and the next question starts anew") {
    const std::tuple<std::string, int, reader_state, const char*> table[] = {
        {"nvmlInit_v2", 9, reader_state::no_driver, "driver is not loaded"},
        {"nvmlInit_v2", 12, reader_state::no_driver, "libraries is missing"},
        {"nvmlInit_v2", 18, reader_state::failing, "different versions"},
        {"nvmlInit_v2", 28, reader_state::no_device, "NVIDIA_VISIBLE_DEVICES"},
        {"nvmlInit_v2", 999, reader_state::failing, "999"},
        {"nvmlSystemGetDriverVersion", 1, reader_state::failing, "shut down"},
        {"nvmlDeviceGetCount_v2", 999, reader_state::failing, "number of GPUs"},
        {"nvmlDeviceGetUUID", 1, reader_state::failing, "GPU 0: NVML was shut down"},
        {"nvmlDeviceGetPowerUsage", 18, reader_state::failing, "GPU 0: driver and library"},
    };
    for (const auto& one : table) {
        const auto& call = std::get<0>(one);
        const auto& status = std::get<1>(one);
        const auto& state = std::get<2>(one);
        const auto& message = std::get<3>(one);
        CAPTURE(call);
        CAPTURE(status);
        fake_nvml machine(t4 + "fault call=" + call + " return=" + std::to_string(status) + "\n");
        kcontrol::testing::manual_environment env;
        const auto session = machine.make_session(env);
        const auto bad = read_sample(*session);
        CHECK(bad.state == state);
        CHECK(bad.message.find(message) != std::string::npos);
        CHECK(bad.gpus.empty());
        machine.write(t4 + t4_too);
        const auto good = read_sample(*session);
        CHECK(good.state == reader_state::ok);
        CHECK(good.gpus.size() == 2);  // not those of before: it started anew
    }
}

TEST_CASE("sample: no library, and no GPU") {
    kcontrol::testing::manual_environment env;
    nvml_session without(env, "/nonexistent/libnvidia-ml.so.1", "/sys", nullptr);
    const auto none = read_sample(without);
    CHECK(none.state == reader_state::no_driver);
    CHECK(none.message.find("is the NVIDIA driver installed") != std::string::npos);

    const fake_nvml machine(recorded("no-gpu"));
    const auto empty = read_sample(*machine.make_session(env));
    CHECK(empty.state == reader_state::no_device);
    CHECK(empty.message.find("NVIDIA_VISIBLE_DEVICES") != std::string::npos);
}

TEST_CASE("sample: a GPU that is lost doesn't cost the others, and is seen again after its reset") {
    for (const auto* call : {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetUUID", "nvmlDeviceGetName",
                             "nvmlDeviceGetPowerUsage", "nvmlDeviceGetRemappedRows", "nvmlDeviceGetFieldValues",
                             "nvmlDeviceGetGridLicensableFeatures_v4", "nvmlDeviceGetNvLinkState", "*"}) {
        CAPTURE(call);
        fake_nvml machine(t4 + t4_too + "fault call=" + call + " gpu=1 return=15\n");
        kcontrol::testing::manual_environment env;
        const auto session = machine.make_session(env);
        const auto node = read_sample(*session);
        CHECK(node.state == reader_state::ok);
        REQUIRE(node.gpus.size() == 2);
        CHECK(node.gpus[0].gpu_percent == 3U);
        CHECK(node.gpus[1].health == gpu_health::failed);
        CHECK(node.gpus[1].reason.find("lost") != std::string::npos);
        machine.write(t4 + t4_too + t4_too);
        CHECK(read_sample(*session).gpus.size() == 3);  // NVML was started anew
    }
}

TEST_CASE("sample: NVML is not started anew for a lost GPU again and again") {
    const auto faulty = t4 + "fault call=nvmlDeviceGetUUID return=15\n";
    fake_nvml machine(faulty);
    kcontrol::testing::manual_environment env;
    boost::asio::io_context context;
    const auto session = machine.make_session(env);
    CHECK(read_sample(*session).gpus.size() == 1);
    machine.write(t4 + faulty);
    CHECK(read_sample(*session).gpus.size() == 2);  // this once
    machine.write(t4 + t4 + faulty);
    CHECK(read_sample(*session).gpus.size() == 2);
    env.advance(std::chrono::seconds(301), context);
    CHECK(read_sample(*session).gpus.size() == 2);  // which says that another start is due
    CHECK(read_sample(*session).gpus.size() == 3);
}

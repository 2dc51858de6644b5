#include "reader/gpu_reader.hpp"

#include <kcontrol/runtime/system_environment.hpp>

#include "support/fake_nvml.hpp"
#include "support/run.hpp"

#include <doctest/doctest.h>

using namespace gpu_labeler;
using gpu_labeler::test::fake_nvml;
using gpu_labeler::test::recorded;

namespace {

std::string t4(int i) {
    return "gpu name=Tesla_T4 uuid=GPU-" + std::to_string(i) + " bus=00000000:00:1E." + std::to_string(i) +
           " memory_mib=15360 cc=7.5 util=3 mem_util=1\n";
}

std::string hang(const std::string& call, const std::string& gpu = "-1") {
    return "fault call=" + call + " gpu=" + gpu + " hang_ms=60000\n";
}

// Its deadline is long for calls that return, and short to wait for.
struct fixture {
    explicit fixture(const std::string& inventory, int threads = 3)
        : machine(inventory),
          reader(
              env, context.get_executor(), [this] { return machine.make_session(env); }, limits(threads)) {}

    static reader_limits limits(int threads) {
        reader_limits most;
        most.call = std::chrono::milliseconds(300);
        most.threads = threads;
        return most;
    }

    node_sample sample() {
        node_sample taken;
        kcontrol::test::run(context, take(taken));
        return taken;
    }
    kcontrol::awaitable<void> take(node_sample& into) {
        auto taken = co_await reader.sample(std::stop_token());
        REQUIRE(taken);
        into = std::move(*taken);
    }
    kcontrol::awaitable<void> take_inventory(kcontrol::result<inventory>& into) {
        into = co_await reader.read(std::stop_token());
    }
    // Questions until those that hung are back.
    void until_none_hangs() {
        while (reader.hanging() > 0) sample();
    }

    kcontrol::system_environment env;
    boost::asio::io_context context;
    fake_nvml machine;
    gpu_reader reader;
};

}  // namespace

TEST_CASE("reader: a sample has time, state and GPUs") {
    fixture f(recorded("a100-x8"));
    const auto before = f.env.wall_now();
    const auto taken = f.sample();
    CHECK(taken.time >= before);
    CHECK(taken.state == reader_state::ok);
    CHECK(taken.gpus.size() == 8);
    CHECK(f.reader.hanging() == 0);
}

TEST_CASE("reader: sample and inventory may be asked at the same time") {
    fixture f(recorded("a100-x8"));
    node_sample taken;
    kcontrol::result<inventory> found = kcontrol::error(kcontrol::errc::unavailable);
    kcontrol::test::start(f.context, f.take(taken));
    kcontrol::test::start(f.context, f.take_inventory(found));
    f.context.restart();
    f.context.run();
    CHECK(taken.gpus.size() == 8);
    REQUIRE(found);
    CHECK(found->gpus.size() == 8);
}

TEST_CASE("reader: a call that hangs is a state, and all is well when it returns") {
    fixture f(t4(0) + t4(1));
    CHECK(f.sample().gpus.size() == 2);
    f.machine.write(t4(0) + t4(1) + hang("nvmlDeviceGetCount_v2"));
    const auto hanging = f.sample();
    CHECK(hanging.state == reader_state::hanging);
    CHECK(hanging.message == "nvmlDeviceGetCount_v2 has not returned for 300 ms; the driver hangs");
    REQUIRE(hanging.gpus.size() == 2);
    CHECK(hanging.gpus[1].uuid == "GPU-1");
    CHECK(hanging.gpus[1].health == gpu_health::failed);
    CHECK(f.reader.hanging() == 1);
    f.machine.write(t4(0) + t4(1));
    f.until_none_hangs();
    const auto after = f.sample();
    CHECK(after.state == reader_state::ok);
    CHECK(after.gpus[1].health == gpu_health::ok);
}

TEST_CASE("reader: a GPU that hangs doesn't cost the others") {
    fixture f(t4(0) + t4(1) + t4(2));
    f.sample();
    f.machine.write(t4(0) + t4(1) + t4(2) + hang("nvmlDeviceGetTemperature", "1"));
    for (int i = 0; i < 2; ++i) {
        const auto taken = f.sample();
        CHECK(taken.state == reader_state::ok);
        REQUIRE(taken.gpus.size() == 3);
        CHECK(taken.gpus[0].health == gpu_health::ok);
        CHECK(taken.gpus[1].health == gpu_health::failed);
        CHECK(taken.gpus[1].uuid == "GPU-1");
        CHECK(taken.gpus[1].reason.find("nvmlDeviceGetTemperature has not returned") != std::string::npos);
        CHECK(taken.gpus[2].gpu_percent == 3U);
        CHECK(f.reader.hanging() == 1);
    }
    kcontrol::result<inventory> found = kcontrol::error(kcontrol::errc::unavailable);
    kcontrol::test::run(f.context, f.take_inventory(found));
    REQUIRE(found);
    CHECK(found->gpus.size() == 2);
    REQUIRE(found->lost.size() == 1);
    CHECK(found->lost[0].index == 1);
    f.machine.write(t4(0) + t4(1) + t4(2));
    f.until_none_hangs();
    CHECK(f.sample().gpus[1].health == gpu_health::ok);
}

TEST_CASE("reader: no more threads than a few hang") {
    fixture f(t4(0) + hang("nvmlInit_v2"), 2);
    CHECK(f.sample().state == reader_state::hanging);
    CHECK(f.sample().state == reader_state::hanging);
    const auto taken = f.sample();
    CHECK(f.reader.hanging() == 2);
    CHECK(taken.state == reader_state::hanging);
    CHECK(taken.message.starts_with("2 calls of NVML hang"));
    f.machine.write(t4(0));
    f.until_none_hangs();
    CHECK(f.sample().state == reader_state::ok);
}

TEST_CASE("reader: a stop ends a question at once") {
    fixture f(t4(0) + hang("nvmlInit_v2"));
    std::stop_source stop;
    stop.request_stop();
    bool stopped = false;
    const auto ask = [](fixture& on, std::stop_token token, bool& was) -> kcontrol::awaitable<void> {
        const auto answer = co_await on.reader.sample(token);
        was = !answer && answer.error() == kcontrol::errc::stopped;
    };
    kcontrol::test::run(f.context, ask(f, stop.get_token(), stopped));
    CHECK(stopped);
    f.machine.write(t4(0));
    f.until_none_hangs();
}

TEST_CASE("reader: a driver that was reloaded brings other GPUs") {
    fixture f(t4(0));
    CHECK(f.sample().gpus.size() == 1);
    f.machine.write("driver 560.1.2\n" + t4(0) + t4(1) + "fault call=nvmlDeviceGetCount_v2 return=18\n");
    const auto between = f.sample();
    CHECK(between.state == reader_state::failing);
    CHECK(between.gpus.size() == 1);
    f.machine.write("driver 560.1.2\n" + t4(0) + t4(1));
    const auto after = f.sample();
    CHECK(after.state == reader_state::ok);
    CHECK(after.driver_version == "560.1.2");
    CHECK(after.gpus.size() == 2);
}

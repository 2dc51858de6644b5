#include "service/measurer.hpp"

#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include "service/fake_kubelet.hpp"
#include "service/pod_answers.hpp"
#include "support/fake_nvml.hpp"

#include <boost/asio/local/stream_protocol.hpp>
#include <doctest/doctest.h>

#include <thread>
#include <vector>

using namespace gpu_labeler;
using gpu_labeler::test::fake_nvml;

namespace {

const std::string one_gpu = "gpu uuid=GPU-0 bus=a memory_mib=1024\n";

// Of a whole minute between samples: what is measured sooner has another reason.
struct fixture {
    explicit fixture(const std::string& inventory, std::optional<std::string> kubelet = std::nullopt)
        : machine(inventory), reader(env, context.get_executor(), [this] { return machine.make_session(env); }) {
        std::optional<pod_resources_client> pods;
        if (kubelet) pods.emplace(env, context.get_executor(), *kubelet);
        meter.emplace(env, reader, std::move(pods), std::chrono::minutes(1), kcontrol::logger(sink()));
        meter->on_sample([this](const node_sample& sample) { samples.push_back(sample); });
        meter->on_change([this] { ++changes; });
        kcontrol::testing::start(context, meter->measure(stop.get_token()));
        kcontrol::testing::start(context, meter->ask_kubelet(stop.get_token()));
        kcontrol::testing::start(context, meter->watch(stop.get_token()));
    }
    ~fixture() {
        stop.request_stop();
        context.restart();
        context.run();
        while (reader.hanging() > 0) {  // a wait for events that is not over yet uses the environment
        }
    }

    kcontrol::log_sink sink() {
        return [this](const kcontrol::log_record& record) {
            auto line = std::string(record.message);
            for (const auto& field : record.fields) line += " " + std::string(field.name) + "=" + field.value;
            log.push_back(line);
        };
    }
    bool logged(const std::string& what) const {
        for (const auto& line : log) {
            if (line.find(what) != std::string::npos) return true;
        }
        return false;
    }
    template <class Condition>
    void until(Condition met) {
        context.restart();
        while (!met()) REQUIRE(context.run_one() != 0);
    }

    kcontrol::system_environment env;
    boost::asio::io_context context;
    fake_nvml machine;
    gpu_reader reader;
    std::optional<measurer> meter;
    std::stop_source stop;
    std::vector<node_sample> samples;
    int changes = 0;
    std::vector<std::string> log;
};

}  // namespace

TEST_CASE("measurer: samples begin at once") {
    fixture f(one_gpu, "/nonexistent/kubelet.sock");
    f.until([&] { return !f.samples.empty(); });
    CHECK(f.samples[0].state == reader_state::ok);
    CHECK(f.samples[0].gpus.size() == 1);
    CHECK(f.logged("the GPUs are measured gpus=1"));
    CHECK_FALSE(f.logged("who uses"));  // no socket is no kubelet
}

TEST_CASE("measurer: an event is measured at once, and labels are looked at") {
    fixture f(one_gpu);
    f.until([&] { return !f.samples.empty(); });
    f.machine.write(one_gpu + "event gpu=0 type=8 data=79\n");
    f.until([&] { return f.samples.size() > 1; });
    CHECK(f.samples.back().gpus[0].health == gpu_health::failed);
    CHECK(f.changes == 1);
    CHECK(f.logged("GPU event event=XID gpu=GPU-0 xid=79 meaning=the GPU has fallen off the bus"));
    CHECK(f.logged("GPU unhealthy index=0 gpu=GPU-0 health=failed reason=XID 79"));
}

TEST_CASE("measurer: what a program did to itself is told, and changes no label") {
    fixture f(one_gpu);
    f.until([&] { return !f.samples.empty(); });
    f.machine.write(one_gpu + "event gpu=0 type=8 data=31\n");
    f.until([&] { return f.samples.size() > 1; });
    CHECK(f.samples.back().gpus[0].health == gpu_health::ok);
    REQUIRE(f.samples.back().gpus[0].xid);
    CHECK(f.samples.back().gpus[0].xid->last == 31);
    CHECK(f.changes == 0);
}

TEST_CASE("measurer: a kubelet that does not answer is told, and costs no sample") {
    fixture f(one_gpu, "/dev/null");
    f.until([&] { return !f.samples.empty(); });
    CHECK(f.samples[0].gpus.size() == 1);
    f.until([&] { return f.logged("who uses the GPUs is not known error=/dev/null"); });
}

TEST_CASE("measurer: a kubelet that takes the call and says nothing delays no sample") {
    kcontrol::testing::temporary_directory directory;
    boost::asio::io_context kubelet;
    const boost::asio::local::stream_protocol::acceptor deaf(kubelet, directory.path("kubelet.sock"));
    fixture f(one_gpu, directory.path("kubelet.sock"));
    f.until([&] { return !f.samples.empty(); });
    f.machine.write(one_gpu + "event gpu=0 type=8 data=79\n");
    f.until([&] { return f.samples.size() > 1; });
    CHECK(f.samples.back().gpus[0].health == gpu_health::failed);
    CHECK_FALSE(f.logged("who uses"));  // its time is not over
}

TEST_CASE("measurer: who uses a GPU is told as soon as the kubelet says so") {
    kcontrol::testing::temporary_directory directory;
    fixture f(one_gpu, directory.path("kubelet.sock"));
    boost::asio::local::stream_protocol::acceptor acceptor(f.context, directory.path("kubelet.sock"));
    kcontrol::test::grpc_answer answer;
    answer.body = kcontrol::test::framed(
        kcontrol::test::pods_message({{"ns", "pod", {{"container", "nvidia.com/gpu", {"GPU-0"}}}}}));
    kcontrol::testing::start(f.context, kcontrol::test::serve(acceptor, std::move(answer)));
    f.until([&] { return !f.samples.empty() && !f.samples.back().gpus[0].users.empty(); });
    CHECK(f.samples.back().gpus[0].users[0].pod == "pod");
    f.machine.write(one_gpu + "event gpu=0 type=8 data=31\n");
    const auto before = f.samples.size();
    f.until([&] { return f.samples.size() > before; });
    CHECK(f.samples.back().gpus[0].users.size() == 1);
}

TEST_CASE("measurer: a driver that can't be asked is one line and not one for each GPU") {
    fixture f(one_gpu + "gpu uuid=GPU-1 bus=b memory_mib=1024\n" + "event gpu=0 type=8 data=31\n" +
              "fault call=nvmlSystemGetDriverVersion after=1 return=18\n");
    f.until([&] { return f.samples.size() > 1; });
    CHECK(f.samples.back().state == reader_state::failing);
    CHECK(f.samples.back().gpus.size() == 2);
    CHECK(f.logged("the GPUs can't be measured"));
    CHECK_FALSE(f.logged("not well"));
}

TEST_CASE("measurer: the state of NVML is told when it changes") {
    fixture f(one_gpu + "fault call=nvmlInit_v2 return=9\n");
    f.until([&] { return !f.samples.empty(); });
    CHECK(f.samples[0].state == reader_state::no_driver);
    CHECK(f.logged("the GPUs can't be measured reason=NVML can't start: the NVIDIA driver is not loaded"));
}

TEST_CASE("measurer: many events don't put off the next sample, and another interval holds at once") {
    kcontrol::testing::manual_environment env;
    boost::asio::io_context context;
    fake_nvml machine(one_gpu);
    gpu_reader reader(env, context.get_executor(), [&] { return machine.make_session(env); });
    measurer meter(env, reader, std::nullopt, std::chrono::seconds(4), {});
    int samples = 0;
    std::stop_source stop;
    meter.on_sample([&](const node_sample&) { ++samples; });
    const auto until_samples = [&](int count) {
        while (samples < count) {
            env.advance(kcontrol::duration::zero(), context);
            std::this_thread::yield();
        }
    };
    kcontrol::testing::start(context, meter.measure(stop.get_token()));
    kcontrol::testing::start(context, meter.watch(stop.get_token()));
    const auto begun = env.now();
    until_samples(1);
    std::string events;
    for (int i = 0; i < 3; ++i) {
        const auto timers = env.pending_timers();
        events += "event gpu=0 type=8 data=31\n";
        machine.write(one_gpu + events);
        while (env.next_timer().value() > env.now() + std::chrono::milliseconds(500) || env.pending_timers() < timers) {
            env.advance(kcontrol::duration::zero(), context);
            std::this_thread::yield();
        }
        env.advance(std::chrono::milliseconds(500), context);
        until_samples(2 + i);
    }
    env.advance(kcontrol::duration::zero(), context);
    CHECK(env.next_timer().value() <= begun + std::chrono::seconds(4));
    meter.change_interval(std::chrono::hours(1));
    until_samples(5);
    meter.change_interval(std::chrono::seconds(2));
    until_samples(6);
    env.advance(kcontrol::duration::zero(), context);
    CHECK(env.next_timer().value() <= env.now() + std::chrono::seconds(2));
    stop.request_stop();
    env.advance(kcontrol::duration::zero(), context);
    while (reader.hanging() > 0) std::this_thread::yield();
}

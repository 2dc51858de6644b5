#include "reader/gpu_reader.hpp"

#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include "support/fake_nvml.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <thread>
#include <vector>

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

// The threads are real and the time is not: it goes on only while every call that is in NVML hangs there, so that a
// machine that is slow makes no deadline pass.
struct fixture {
    explicit fixture(const std::string& inventory, int threads = 3)
        : machine(inventory),
          reader(
              env, context.get_executor(), [this] { return make_session(); }, limits(threads)) {}

    std::shared_ptr<nvml_session> make_session() {
        auto session = machine.make_session(env);
        sessions.push_back(session);
        return session;
    }

    bool only_hanging_calls() {
        const auto hanging = machine.hanging();
        const auto calls = std::count_if(sessions.begin(), sessions.end(), [](const auto& weak) {
            const auto session = weak.lock();
            return session && session->watch().current();
        });
        return calls <= hanging;
    }

    void drive(kcontrol::awaitable<void> task) {
        bool done = false;
        std::exception_ptr failure;
        boost::asio::co_spawn(context, std::move(task), [&](std::exception_ptr e) {
            done = true;
            failure = std::move(e);
        });
        until([&] { return done; });
        if (failure) std::rethrow_exception(failure);
    }
    template <class Condition>
    void until(Condition met) {
        while (!met()) {
            context.restart();
            if (context.poll() != 0) continue;
            // Less than a deadline at a time, as a call may begin meanwhile.
            if (only_hanging_calls()) env.advance(limits(1).call() / 6, context);
            std::this_thread::yield();
        }
    }

    static reader_limits limits(int threads) {
        reader_limits most;
        most.call(std::chrono::milliseconds(300));
        most.threads(threads);
        return most;
    }

    node_sample sample() {
        node_sample taken;
        drive(take(taken));
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

    // Watches until `enough` of the events that came says so.
    std::vector<gpu_event> events_until(std::function<bool(const std::vector<gpu_event>&)> enough) {
        std::vector<gpu_event> seen;
        std::stop_source stop;
        std::function<void(const gpu_event&)> note = [&](const gpu_event& event) {
            seen.push_back(event);
            if (enough(seen)) stop.request_stop();
        };
        drive(reader.watch_events(std::move(note), stop.get_token()));
        return seen;
    }

    kcontrol::testing::manual_environment env;
    boost::asio::io_context context;
    fake_nvml machine;
    std::vector<std::weak_ptr<nvml_session>> sessions;
    gpu_reader reader;
};

std::string event(int gpu, int type, int data = 0) {
    return "event gpu=" + std::to_string(gpu) + " type=" + std::to_string(type) + " data=" + std::to_string(data) +
           "\n";
}

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
    kcontrol::testing::start(f.context, f.take(taken));
    f.drive(f.take_inventory(found));
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
    f.drive(f.take_inventory(found));
    REQUIRE(found);
    CHECK(found->gpus.size() == 2);
    REQUIRE(found->lost.size() == 1);
    CHECK(found->lost[0].index == 1);
    f.machine.write(t4(0) + t4(1) + t4(2));
    f.until_none_hangs();
    CHECK(f.sample().gpus[1].health == gpu_health::ok);
}

TEST_CASE("reader: however many GPUs hang, the others answer, at the first question") {
    std::string all;
    std::string hangs;
    for (int i = 0; i < 8; ++i) all += t4(i);
    for (int i = 0; i < 5; ++i) hangs += hang("nvmlDeviceGetName", std::to_string(i));
    fixture f(all);
    f.sample();
    f.machine.write(all + hangs);
    kcontrol::result<inventory> found = kcontrol::error(kcontrol::errc::unavailable);
    f.drive(f.take_inventory(found));
    REQUIRE(found);
    CHECK(found->gpus.size() == 3);
    CHECK(found->lost.size() == 5);
    CHECK(f.reader.hanging() == 5);
    const auto taken = f.sample();
    CHECK(taken.state == reader_state::ok);
    CHECK(std::count_if(taken.gpus.begin(), taken.gpus.end(),
                        [](const gpu_sample& g) { return g.health == gpu_health::failed; }) == 5);
    CHECK(f.reader.hanging() == 5);
    f.machine.write(all);
    f.until_none_hangs();
    CHECK(f.sample().gpus[0].health == gpu_health::ok);
}

TEST_CASE("reader: where all GPUs hang it is the driver that does, and not each of them that is lost") {
    fixture f(t4(0) + t4(1));
    f.sample();
    f.machine.write(t4(0) + t4(1) + hang("nvmlDeviceGetName"));
    for (int i = 0; i < 2; ++i) {
        kcontrol::result<inventory> found = kcontrol::error(kcontrol::errc::unavailable);
        f.drive(f.take_inventory(found));
        REQUIRE_FALSE(found);
        CHECK(found.error() == kcontrol::errc::timeout);
        CHECK(found.error().message() == "nvmlDeviceGetName has not returned for 300 ms; the driver hangs");
        const auto taken = f.sample();
        CHECK(taken.state == reader_state::hanging);
        CHECK(taken.message == "nvmlDeviceGetName has not returned for 300 ms; the driver hangs");
        REQUIRE(taken.gpus.size() == 2);
        CHECK(taken.gpus[1].uuid == "GPU-1");
    }
    f.machine.write(t4(0) + t4(1));
    f.until_none_hangs();
    CHECK(f.sample().state == reader_state::ok);
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
    f.drive(ask(f, stop.get_token(), stopped));
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

TEST_CASE("reader: an XID is told, and is in the next sample") {
    fixture f(t4(0) + t4(1));
    CHECK(f.sample().gpus[1].health == gpu_health::ok);
    f.machine.write(t4(0) + t4(1) + event(1, 8, 79));
    const auto seen = f.events_until([](const auto& events) { return events.size() == 1; });
    gpu_event expected;
    expected.index = 1;
    expected.uuid = "GPU-1";
    expected.xid = 79;
    REQUIRE(seen.size() == 1);
    CHECK(seen[0] == expected);
    const auto taken = f.sample();
    CHECK(taken.gpus[1].health == gpu_health::failed);
    CHECK(taken.gpus[1].reason == "XID 79: the GPU has fallen off the bus");
    REQUIRE(taken.gpus[1].xid);
    CHECK(taken.gpus[1].xid->counts == std::map<std::uint64_t, std::uint64_t>{{79, 1}});
    CHECK(taken.gpus[0].health == gpu_health::ok);
    f.until_none_hangs();
}

TEST_CASE("reader: all kinds of events, each of the kind that it is") {
    fixture f(t4(0) + "gpu uuid=GPU-1 events=8\n" + event(0, 0x2) + event(0, 0x100) + event(0, 0x1000) +
              event(0, 0x2000) + event(0, 0x4000) + event(0, 0x8000) + event(0, 0x1) + event(1, 0x2) +
              "event gpu=1 type=8 data=31 gi=7 ci=0\n");
    const auto seen = f.events_until([](const auto& events) { return events.back().kind == gpu_event_kind::xid; });
    std::vector<gpu_event_kind> kinds;
    for (const auto& e : seen) kinds.push_back(e.kind);
    // Corrected errors are counted, not waited for, nor is what a GPU does not support.
    CHECK(kinds == std::vector{gpu_event_kind::memory_error, gpu_event_kind::mig_changed, gpu_event_kind::memory_error,
                               gpu_event_kind::memory_error, gpu_event_kind::lost, gpu_event_kind::recovery,
                               gpu_event_kind::xid});
    CHECK(seen.back().gpu_instance == 7U);
    CHECK(seen.back().index == 1U);
    CHECK_FALSE(seen.front().gpu_instance);
    CHECK(f.sample().gpus[1].health == gpu_health::ok);  // 31 is a program's doing
    f.until_none_hangs();
}

TEST_CASE("reader: waiting for events ends with the stop, whatever NVML does") {
    const std::string table[] = {"", "fault call=nvmlEventSetCreate return=3\n", hang("nvmlEventSetWait_v2"),
                                 hang("nvmlDeviceRegisterEvents"), "fault call=nvmlInit_v2 return=9\n"};
    for (const auto& fault : table) {
        CAPTURE(fault);
        fixture f(t4(0) + fault);
        std::stop_source stop;
        bool ended = false;
        const auto watch = [](fixture& on, std::stop_token token, bool& end) -> kcontrol::awaitable<void> {
            std::function<void(const gpu_event&)> ignore = [](const gpu_event&) {};
            co_await on.reader.watch_events(std::move(ignore), token);
            end = true;
        };
        kcontrol::testing::start(f.context, watch(f, stop.get_token(), ended));
        f.context.restart();
        f.context.poll();
        CHECK_FALSE(ended);
        stop.request_stop();
        f.context.restart();
        f.context.poll();
        CHECK(ended);
        f.machine.write(t4(0));
        f.until_none_hangs();
    }
}

TEST_CASE("reader: that some GPU is lost while events are waited for is one") {
    fixture f(t4(0) + "fault call=nvmlEventSetWait_v2 after=1 return=15\n");
    const auto seen = f.events_until([](const auto&) { return true; });
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].kind == gpu_event_kind::lost);
    CHECK_FALSE(seen[0].index);
    f.until_none_hangs();
}

TEST_CASE("reader: who waits for events lets go when NVML must start anew, and waits again then") {
    fixture f(t4(0));
    std::stop_source stop;
    std::vector<gpu_event> seen;
    const auto watch = [](fixture& on, std::stop_token token,
                          std::vector<gpu_event>& into) -> kcontrol::awaitable<void> {
        std::function<void(const gpu_event&)> note = [&into](const gpu_event& event) { into.push_back(event); };
        co_await on.reader.watch_events(std::move(note), token);
    };
    kcontrol::testing::start(f.context, watch(f, stop.get_token(), seen));
    const auto first = event(0, 8, 31);
    f.machine.write(t4(0) + first);
    f.until([&] { return !seen.empty(); });
    CHECK(f.sample().gpus.size() == 1);
    f.machine.write(t4(0) + t4(1) + first + "fault call=nvmlSystemGetDriverVersion return=18\n");
    CHECK(f.sample().state == reader_state::failing);
    f.machine.write(t4(0) + t4(1) + first);
    node_sample taken;
    while (taken.state != reader_state::ok) taken = f.sample();
    CHECK(taken.gpus.size() == 2);  // of which only a new start tells
    f.machine.write(t4(0) + t4(1) + first + event(1, 8, 79));
    f.until([&] { return seen.back().uuid == "GPU-1"; });
    std::vector<gpu_event_kind> kinds;
    for (const auto& e : seen) kinds.push_back(e.kind);
    CHECK(kinds ==
          std::vector{gpu_event_kind::xid, gpu_event_kind::released, gpu_event_kind::unwatched, gpu_event_kind::xid});
    CHECK(seen[2].lasted >= std::chrono::milliseconds(100));
    CHECK(f.reader.watching().watching);
    CHECK(f.reader.watching().gaps == 1);
    CHECK(f.reader.watching().unwatched == seen[2].lasted);
    stop.request_stop();
    f.sample();  // so that the stop is seen
    f.until_none_hangs();
}

TEST_CASE("reader: a wait for events that hung and comes back is over, as another one waits") {
    fixture f(t4(0));
    std::stop_source stop;
    std::vector<gpu_event> seen;
    std::function<void(const gpu_event&)> note = [&seen](const gpu_event& event) { seen.push_back(event); };
    kcontrol::testing::start(f.context, f.reader.watch_events(std::move(note), stop.get_token()));
    for (unsigned round = 1; round < 3; ++round) {
        CAPTURE(round);
        f.machine.write(t4(0) + hang("nvmlEventSetWait_v2"));
        f.until([&] { return f.reader.hanging() == 1; });
        f.machine.write(t4(0));
        f.until([&] { return f.reader.watching().gaps == round && f.reader.hanging() == 0; });
    }
    f.machine.write(t4(0) + event(0, 8, 79));
    f.until([&] { return seen.back().kind == gpu_event_kind::xid; });
    CHECK(seen.size() == 3);
    CHECK(seen[0].kind == gpu_event_kind::unwatched);
    CHECK(seen[0].lasted >= std::chrono::milliseconds(300));
    stop.request_stop();
    f.sample();
    f.until_none_hangs();
}

TEST_CASE("reader: a system without a thread to give is a state, and tried again") {
    pthread_attr_t usual;
    REQUIRE(::pthread_getattr_default_np(&usual) == 0);
    pthread_attr_t huge = usual;
    std::size_t size = 0;
    REQUIRE(::pthread_attr_getstacksize(&usual, &size) == 0);
    REQUIRE(::pthread_attr_setstacksize(&huge, std::size_t{1} << 46) == 0);
    fixture f(t4(0));
    REQUIRE(::pthread_setattr_default_np(&huge) == 0);
    const auto none = f.sample();
    ::pthread_setattr_default_np(&usual);
    CHECK(none.state == reader_state::failing);
    CHECK(none.message.starts_with("the system has no thread to ask the GPUs with"));
    CHECK(f.reader.hanging() == 0);
    CHECK(f.sample().state == reader_state::ok);
}

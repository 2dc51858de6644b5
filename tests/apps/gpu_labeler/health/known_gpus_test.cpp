#include "health/known_gpus.hpp"

#include <doctest/doctest.h>

using namespace gpu_labeler;

namespace {

gpu_sample gpu_of(unsigned index) {
    gpu_sample gpu;
    gpu.index = index;
    gpu.uuid = "GPU-" + std::to_string(index);
    gpu.name = "Tesla T4";
    gpu.bus_id = "00000000:00:1E." + std::to_string(index);
    gpu.minor = index;
    gpu.gpu_percent = 50;
    return gpu;
}

gpu_sample lost(unsigned index) {
    gpu_sample gpu;
    gpu.index = index;
    gpu.health = gpu_health::failed;
    gpu.reason = "lost";
    return gpu;
}

node_sample node_of(reader_state state, std::vector<gpu_sample> gpus, std::string message = {}) {
    node_sample node;
    node.state = state;
    node.message = std::move(message);
    node.gpus = std::move(gpus);
    return node;
}

}  // namespace

TEST_CASE("known GPUs: one that is lost is told by its last name") {
    known_gpus known;
    auto first = node_of(reader_state::ok, {gpu_of(0), gpu_of(1)});
    known.complete(first);
    CHECK(first.gpus[1] == gpu_of(1));
    for (int i = 0; i < 2; ++i) {
        auto next = node_of(reader_state::ok, {gpu_of(0), lost(1)});
        known.complete(next);
        CHECK(next.gpus[1].uuid == "GPU-1");
        CHECK(next.gpus[1].minor == 1U);
        CHECK(next.gpus[1].reason == "lost");
        CHECK_FALSE(next.gpus[1].gpu_percent);
        CHECK(next.gpus[0].health == gpu_health::ok);
    }
}

TEST_CASE("known GPUs: while nothing can be asked all are told as failed, with the reason") {
    for (const auto state : {reader_state::hanging, reader_state::failing}) {
        known_gpus known;
        auto before = node_of(state, {}, "it hangs");
        known.complete(before);
        CHECK(before.gpus.empty());
        auto good = node_of(reader_state::ok, {gpu_of(0)});
        known.complete(good);
        for (int i = 0; i < 2; ++i) {
            auto bad = node_of(state, {}, "it hangs");
            known.complete(bad);
            REQUIRE(bad.gpus.size() == 1);
            CHECK(bad.gpus[0].uuid == "GPU-0");
            CHECK(bad.gpus[0].health == gpu_health::failed);
            CHECK(bad.gpus[0].reason == "it hangs");
        }
        auto again = node_of(reader_state::ok, {gpu_of(0)});
        known.complete(again);
        CHECK(again.gpus[0].health == gpu_health::ok);
    }
}

TEST_CASE("known GPUs: without a driver there are none") {
    known_gpus known;
    auto good = node_of(reader_state::ok, {gpu_of(0)});
    known.complete(good);
    auto gone = node_of(reader_state::no_driver, {}, "no driver");
    known.complete(gone);
    CHECK(gone.gpus.empty());
}

TEST_CASE("known GPUs: XIDs are counted, and over when the GPU comes back from being lost") {
    known_gpus known;
    const kcontrol::wall_time noon{std::chrono::hours(12)};
    known.note_xid("GPU-0", 13, noon);
    known.note_xid("GPU-0", 79, noon);
    known.note_xid("GPU-0", 79, noon + std::chrono::seconds(1));
    auto sample = node_of(reader_state::ok, {gpu_of(0), gpu_of(1)});
    known.complete(sample);
    CHECK(sample.gpus[0].xid == xid_report{79, noon + std::chrono::seconds(1), {{13, 1}, {79, 2}}});
    CHECK(sample.gpus[0].health == gpu_health::failed);
    CHECK_FALSE(sample.gpus[1].xid);
    CHECK(sample.gpus[1].health == gpu_health::ok);

    SUBCASE("while it is lost they are told") {
        auto gone = node_of(reader_state::ok, {lost(0), gpu_of(1)});
        known.complete(gone);
        CHECK(gone.gpus[0].xid);
        auto back = node_of(reader_state::ok, {gpu_of(0), gpu_of(1)});
        known.complete(back);
        CHECK(back.gpus[0] == gpu_of(0));
    }
    SUBCASE("a call that hung is no reset") {
        auto hanging = node_of(reader_state::hanging, {}, "it hangs");
        known.complete(hanging);
        auto back = node_of(reader_state::ok, {gpu_of(0), gpu_of(1)});
        known.complete(back);
        CHECK(back.gpus[0].xid);
    }
}

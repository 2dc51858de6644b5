#include "history/history.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace gpu_labeler;

namespace {

kcontrol::wall_time at(std::int64_t seconds) { return kcontrol::wall_time(std::chrono::seconds(seconds)); }

gpu_sample gpu(unsigned index, std::string uuid, double watts) {
    gpu_sample out;
    out.index = index;
    out.uuid = std::move(uuid);
    out.power_watts = watts;
    return out;
}

gpu_sample lost(unsigned index, std::string uuid = "") {
    gpu_sample out;
    out.index = index;
    out.uuid = std::move(uuid);
    out.health = gpu_health::failed;
    return out;
}

std::string shown(const std::vector<history_point>& points) {
    std::string out;
    for (const auto& p : points) {
        out += (out.empty() ? "" : " ") + std::to_string(p.time) + ":" + std::to_string(static_cast<int>(p.value));
    }
    return out;
}

std::string known(const history& h) {
    std::string out;
    for (const auto& g : h.gpus()) out += (out.empty() ? "" : " ") + std::to_string(g.index) + ":" + g.uuid;
    return out;
}

// Two slots of 10 s, four of 30 s.
history_layout small() {
    history_layout out;
    out.recent = {10, 2};
    out.earlier = {30, 4};
    out.most_gpus = 2;
    return out;
}

}  // namespace

TEST_CASE("history: the last slots are fine, earlier ones are means, and no moment is told twice") {
    history h(small());
    for (std::int64_t t = 0; t <= 110; t += 10) h.record(at(t), {gpu(0, "a", static_cast<double>(t))});
    // 0..20 -> 10, 30..50 -> 40, 60..80 -> 70; 90 is neither complete in a long slot nor in the short ones' time.
    CHECK(shown(h.points("a", metric::power)) == "0:10 30:40 60:70 90:100");
    h.record(at(120), {gpu(0, "a", 120)});
    CHECK(shown(h.points("a", metric::power)) == "30:40 60:70 90:100 120:120");
    h.record(at(130), {gpu(0, "a", 130)});
    CHECK(shown(h.points("a", metric::power)) == "30:40 60:70 90:100 120:120 130:130");
}

TEST_CASE("history: since") {
    history h(small());
    for (std::int64_t t = 0; t <= 130; t += 10) h.record(at(t), {gpu(0, "a", static_cast<double>(t))});
    struct row {
        std::int64_t since;
        const char* shown;
    };
    const row rows[] = {{-9'000'000'000, "30:40 60:70 90:100 120:120 130:130"},
                        {31, "60:70 90:100 120:120 130:130"},
                        {90, "90:100 120:120 130:130"},
                        {121, "130:130"},
                        {130, "130:130"},
                        {131, ""},
                        {139, ""},
                        {9'000'000'000, ""}};
    for (const auto& one : rows) {
        CAPTURE(one.since);
        CHECK(shown(h.points("a", metric::power, one.since)) == one.shown);
    }
    CHECK(h.points("a", metric::temperature).empty());
    CHECK(h.points("b", metric::power).empty());
    CHECK(h.points("", metric::power).empty());
}

TEST_CASE("history: a GPU is lost and returns, the driver goes and returns") {
    history h;
    h.record(at(1000), {gpu(0, "a", 1), gpu(1, "b", 2)});
    h.record(at(1010), {gpu(0, "a", 3), lost(1)});
    h.record(at(1020), {gpu(0, "a", 5), lost(1, "b")});
    h.record(at(1030), {});
    h.record(at(1040), {gpu(0, "a", 7), gpu(1, "b", 8)});
    CHECK(shown(h.points("a", metric::power)) == "1000:1 1010:3 1020:5 1040:7");
    CHECK(shown(h.points("b", metric::power)) == "1000:2 1040:8");
    CHECK(known(h) == "0:a 1:b");
}

TEST_CASE("history: a GPU is replaced by another one, or changes its index") {
    history h;
    h.record(at(1000), {gpu(0, "a", 1), gpu(1, "b", 2)});
    h.record(at(1010), {gpu(0, "b", 3), gpu(1, "c", 4)});
    CHECK(known(h) == "0:b 0:a 1:c");  // who has the index now comes first
    CHECK(shown(h.points("b", metric::power)) == "1000:2 1010:3");
    CHECK(shown(h.points("a", metric::power)) == "1000:1");
    // A day later only those that are there are left.
    h.record(at(1010 + 86'400), {gpu(0, "b", 5)});
    CHECK(known(h) == "0:b");
}

TEST_CASE("history: never more GPUs than it has room for; those that are there stay") {
    history h(small());
    h.record(at(0), {gpu(0, "a", 1), gpu(1, "b", 2)});
    h.record(at(10), {gpu(0, "a", 1), gpu(1, "c", 2)});
    CHECK(known(h) == "0:a 1:c");
    for (std::int64_t t = 20; t < 60; t += 10) h.record(at(t), {gpu(0, "a", 1), gpu(1, "c", 2), gpu(2, "d", 3)});
    CHECK(known(h) == "0:a 1:c");
    CHECK(shown(h.points("a", metric::power)) == "0:1 30:1");
}

TEST_CASE("history: times increase, also where the clock is set back") {
    history h;
    for (std::int64_t t = 5000; t <= 5100; t += 10) h.record(at(t), {gpu(0, "a", 1)});
    h.record(at(5050), {gpu(0, "a", 3)});
    CHECK(shown(h.points("a", metric::power, 5040)) == "5040:1 5050:2");
    h.record(at(100), {gpu(0, "a", 4)});
    CHECK(shown(h.points("a", metric::power)) == "100:4");
    CHECK(h.gpus().front().last_seen == 100);
    h.record(at(4'000'000'000), {gpu(0, "a", 5)});
    CHECK(shown(h.points("a", metric::power)) == "4000000000:5");
}

TEST_CASE("history: how many bytes a day of 8 GPUs costs") {
    history h;
    for (std::int64_t t = 0; t < 2 * 86'400; t += 600) {
        std::vector<gpu_sample> all;
        for (unsigned i = 0; i < 8; ++i) {
            auto one = gpu(i, "GPU-00000000-0000-0000-0000-00000000000" + std::to_string(i), 300);
            one.memory_used_bytes = 80ULL << 30;
            all.push_back(one);
        }
        h.record(at(t), all);
    }
    CHECK(h.bytes() >= 8 * 86'400);
    CHECK(h.bytes() < 720'000);
    CHECK(h.points("GPU-00000000-0000-0000-0000-000000000007", metric::memory_used).back().value == 85'899'345'920.0F);
}

TEST_CASE("history: the short slots are as long as samples are apart") {
    CHECK(history_layout::for_samples_every(std::chrono::seconds(10)).recent.seconds == 10);
    CHECK(history_layout::for_samples_every(std::chrono::milliseconds(2500)).recent.seconds == 3);
    CHECK(history_layout::for_samples_every(std::chrono::milliseconds(1)).recent.seconds == 1);
    CHECK(history_layout::for_samples_every(std::chrono::minutes(5)).earlier.seconds == 300);
    CHECK(history_layout::for_samples_every(std::chrono::hours(100)).recent.seconds == 3600);
}

TEST_CASE("metrics: names and values belong together") {
    gpu_sample g;
    for (const auto& m : metrics) {
        CHECK(find_metric(m.name) == &m);
        CHECK_FALSE(value_of(g, m.which));
    }
    CHECK(find_metric("fanPercent") == nullptr);
    CHECK(find_metric("") == nullptr);
    g.temperature_celsius = 1;
    g.memory_temperature_celsius = 2;
    g.power_watts = 3;
    g.gpu_percent = 4;
    g.memory_percent = 5;
    g.encoder_percent = 6;
    g.decoder_percent = 7;
    g.memory_used_bytes = 8;
    g.sm_clock_mhz = 9;
    g.memory_clock_mhz = 10;
    g.nvlink = nvlink_sample();
    g.nvlink->transmit_rate = 11;
    g.nvlink->receive_rate = 12;
    double expected = 0;
    for (const auto& m : metrics) CHECK(value_of(g, m.which) == ++expected);
}

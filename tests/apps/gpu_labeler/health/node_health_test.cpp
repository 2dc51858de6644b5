#include "health/node_health.hpp"

#include <doctest/doctest.h>

using namespace gpu_labeler;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

const kcontrol::time_point start{std::chrono::hours(1)};

gpu_sample gpu(unsigned index, gpu_health health, std::string reason = {}) {
    gpu_sample out;
    out.index = index;
    out.uuid = "GPU-" + std::to_string(index);
    out.health = health;
    out.reason = std::move(reason);
    return out;
}

node_sample measured(std::vector<gpu_sample> gpus) {
    node_sample out;
    out.state = reader_state::ok;
    out.gpus = std::move(gpus);
    return out;
}

node_verdict verdict(node_health health, std::string message = {}) { return {health, "Reason", std::move(message)}; }

}  // namespace

TEST_CASE("node health: the worst GPU says how the node is, and all that are not well are named") {
    CHECK(judge_node(measured({gpu(0, gpu_health::ok), gpu(1, gpu_health::ok)})) ==
          node_verdict{node_health::ok, "AllGPUsHealthy", "2 GPUs answer, and none has an error"});
    CHECK(judge_node(measured({gpu(0, gpu_health::degraded, "rows wait"), gpu(1, gpu_health::failed, "XID 79"),
                               gpu(2, gpu_health::ok)})) ==
          node_verdict{node_health::failed, "GPUFailed", "GPU 0 (GPU-0): rows wait; GPU 1 (GPU-1): XID 79"});
    CHECK(judge_node(measured({gpu(0, gpu_health::degraded, "rows wait")}))->reason == "GPUDegraded");
    std::vector<gpu_sample> many;
    for (unsigned i = 0; i < 16; ++i) many.push_back(gpu(i, gpu_health::failed, "lost"));
    CHECK(judge_node(measured(many))->message.ends_with("GPU 7 (GPU-7): lost; and 8 more"));
}

TEST_CASE("node health: where nobody can be asked, nothing is known") {
    node_sample sample;
    CHECK(!judge_node(sample));
    const std::pair<reader_state, const char*> table[] = {{reader_state::no_device, "NoGPU"},
                                                          {reader_state::no_driver, "NoDriver"},
                                                          {reader_state::hanging, "DriverHangs"},
                                                          {reader_state::failing, "DriverFails"}};
    for (const auto& [state, reason] : table) {
        sample.state = state;
        sample.message = "why";
        CHECK(judge_node(sample) == node_verdict{node_health::unknown, reason, "why"});
    }
}

TEST_CASE("damping: how long each verdict must stand before it is told") {
    using enum node_health;
    const struct {
        std::optional<node_health> told;
        node_health seen;
        seconds after;
    } table[] = {
        {std::nullopt, ok, seconds(0)},  {std::nullopt, failed, seconds(0)}, {std::nullopt, unknown, minutes(2)},
        {ok, failed, seconds(0)},        {ok, degraded, seconds(30)},        {ok, unknown, minutes(2)},
        {degraded, failed, seconds(0)},  {degraded, ok, minutes(5)},         {failed, ok, minutes(5)},
        {failed, degraded, seconds(30)}, {unknown, ok, seconds(30)},         {unknown, failed, seconds(0)},
    };
    for (const auto& row : table) {
        CAPTURE(to_string(row.seen));
        health_damper damper;
        if (row.told) damper.told(verdict(*row.told), start - minutes(60));
        damper.see(verdict(row.seen), start);
        CHECK(damper.next() == start + row.after);
        if (row.after > seconds(0)) CHECK(!damper.due(start + row.after - seconds(1)));
        REQUIRE(damper.due(start + row.after));
        CHECK(damper.due(start + row.after)->health == row.seen);
        damper.told(verdict(row.seen), start + row.after);
        CHECK(!damper.next());
    }
}

TEST_CASE("damping: other times than the usual ones, also for what was seen before they changed") {
    health_damper damper({seconds(30), seconds(2), seconds(7)});
    damper.told(verdict(node_health::ok), start - minutes(60));
    damper.see(verdict(node_health::unknown), start);
    CHECK(damper.next() == start + seconds(30));
    damper.change({seconds(10), seconds(2), seconds(7)});
    CHECK(damper.next() == start + seconds(10));
    damper.told(verdict(node_health::unknown), start + seconds(10));
    damper.see(verdict(node_health::ok), start + seconds(20));
    CHECK(damper.next() == start + seconds(22));
    damper.told(verdict(node_health::failed), start + seconds(21));
    CHECK(damper.next() == start + seconds(27));
}

TEST_CASE("damping: what goes back and forth is not told") {
    health_damper damper;
    damper.told(verdict(node_health::failed), start);
    for (int i = 0; i < 20; ++i) {
        damper.see(verdict(node_health::ok), start + minutes(4 * i));
        CHECK(!damper.due(start + minutes(4 * i + 3)));
        damper.see(verdict(node_health::failed), start + minutes(4 * i + 3));
        CHECK(!damper.due(start + minutes(4 * i + 4)));
    }
}

TEST_CASE("damping: other words for the same are told once a minute, and what is known already is not") {
    health_damper damper;
    CHECK(!damper.has_seen());
    damper.assume(verdict(node_health::failed, "a"));
    damper.see(verdict(node_health::failed, "a"), start);
    CHECK(!damper.next());
    damper.told(verdict(node_health::failed, "a"), start);
    damper.see(verdict(node_health::failed, "b"), start + seconds(10));
    CHECK(damper.next() == start + minutes(1));
    damper.see(verdict(node_health::failed, "c"), start + seconds(59));
    CHECK(damper.due(start + minutes(1))->message == "c");
}

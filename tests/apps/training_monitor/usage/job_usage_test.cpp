// Which GPUs are a job's, how busy they are, and since when they idle: known, partly, or not guessed.
#include "usage/job_usage.hpp"

#include "usage/usage_text.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

using namespace training_monitor;
using namespace std::chrono_literals;
using state_type = job_usage::state_type;

namespace {

const kcontrol::wall_time now{std::chrono::seconds(1'800'000'000)};

pod_row pod(std::string name, std::string node, std::int64_t gpus, std::string phase = "Running") {
    pod_row out;
    out.name = std::move(name);
    out.node = std::move(node);
    out.gpus = gpus;
    out.phase = std::move(phase);
    return out;
}

gpu_report gpu(std::int64_t index, std::optional<double> utilization, std::vector<std::string> pods = {}) {
    gpu_report out;
    out.index = index;
    out.health = "ok";
    out.utilization = utilization;
    out.memory_used_bytes = std::int64_t{10} << 30;
    out.memory_total_bytes = std::int64_t{80} << 30;
    out.power_watts = 100;
    for (auto& each : pods) out.holders.push_back({"ml", std::move(each), false});
    return out;
}

node_answer answer(std::vector<gpu_report> gpus, std::string state = "ok") {
    node_answer out;
    out.report.emplace();
    out.report->state = std::move(state);
    out.report->gpus = std::move(gpus);
    return out;
}

job_usage used(const std::vector<pod_row>& pods, const node_answers& nodes) { return usage_of(pods, "ml", nodes, now); }

}  // namespace

TEST_CASE("job usage: the GPUs that the labelers say its pods have") {
    node_answers nodes;
    nodes["n1"] = answer({gpu(0, 90, {"bert-0"}), gpu(1, 70, {"bert-0"}), gpu(2, 5, {"other"}), gpu(3, 0)});
    nodes["n2"] = answer({gpu(0, 20, {"bert-1"}), gpu(1, 0, {"bert-1"})});
    nodes["n2"].report->gpus[0].xid = 79;
    const auto usage = used({pod("bert-0", "n1", 2), pod("bert-1", "n2", 2), pod("bert-2", "n9", 2, "Pending")}, nodes);
    CHECK(usage.state == state_type::known);
    CHECK(usage.gpus == 4);
    CHECK(usage.measured == 4);
    CHECK(usage.utilization_mean == 45);
    CHECK(usage.utilization_least == 0);
    CHECK(usage.memory_used_bytes == std::int64_t{40} << 30);
    CHECK(usage.memory_total_bytes == std::int64_t{320} << 30);
    CHECK(usage.power_watts == 400);
    CHECK(!usage.idle_since);
    REQUIRE(usage.xids.size() == 1);
    CHECK(usage.xids[0].node == "n2");
    CHECK(usage.xids[0].number == 79);
}

TEST_CASE("job usage: a labeler that is not told whose they are, and all of the node's GPUs") {
    node_answers nodes;
    nodes["n1"] = answer({gpu(0, 90), gpu(1, 70)});
    CHECK(used({pod("bert-0", "n1", 2)}, nodes).utilization_mean == 80);
    CHECK(used({pod("bert-0", "n1", 1), pod("bert-1", "n1", 1)}, nodes).state == state_type::known);
    const auto part = used({pod("bert-0", "n1", 1)}, nodes);
    CHECK(part.state == state_type::unknown);
    CHECK(!part.utilization_mean);
    CHECK(part.reason == "node n1: its labeler is not told which pod has which GPU (its component pods)");
}

TEST_CASE("job usage: what is shared, divided or not told is not guessed") {
    node_answers nodes;
    SUBCASE("another pod has a part of it") {
        nodes["n1"] = answer({gpu(0, 90, {"bert-0", "other"}), gpu(1, 70, {"bert-0"})});
        const auto usage = used({pod("bert-0", "n1", 2)}, nodes);
        CHECK(usage.state == state_type::partial);
        CHECK(usage.measured == 1);
        CHECK(usage.utilization_mean == 70);
    }
    SUBCASE("a pod of that name in another namespace") {
        nodes["n1"] = answer({gpu(0, 90, {"bert-0"})});
        CHECK(usage_of({pod("bert-0", "n1", 1)}, "other", nodes, now).state == state_type::unknown);
    }
    SUBCASE("a slice") {
        nodes["n1"] = answer({gpu(0, 90, {"bert-0"})});
        nodes["n1"].report->gpus[0].holders[0].slice = true;
        CHECK(used({pod("bert-0", "n1", 1)}, nodes).state == state_type::unknown);
    }
    SUBCASE("it does not say how busy it is") {
        nodes["n1"] = answer({gpu(0, std::nullopt, {"bert-0"}), gpu(1, 0, {"bert-0"})});
        const auto usage = used({pod("bert-0", "n1", 2)}, nodes);
        CHECK(usage.state == state_type::partial);
        CHECK(usage.reason == "node n1: GPU 0 does not say how busy it is");
        CHECK(!usage.idle_since);
    }
    SUBCASE("no labeler, none that answers, no driver") {
        nodes["n2"].failure = "its GPU labeler does not answer: 503";
        nodes["n3"] = answer({}, "hanging");
        CHECK(used({pod("bert-0", "n1", 1)}, nodes).reason == "node n1: no GPU labeler runs there");
        CHECK(used({pod("bert-0", "n2", 1)}, nodes).reason == "node n2: its GPU labeler does not answer: 503");
        CHECK(used({pod("bert-0", "n3", 1)}, nodes).reason == "node n3: its GPUs can't be read: hanging");
    }
    SUBCASE("no pods") { CHECK(used({}, nodes).reason == "none of its pods is known to run and to have GPUs"); }
}

TEST_CASE("job usage: idle since all of its GPUs were at 0 %, for as long as they are") {
    const auto look = [](kcontrol::duration later, std::optional<double> first, std::optional<double> second) {
        node_answers nodes;
        nodes["n1"] = answer({gpu(0, first), gpu(1, second)});
        if (!first && !second) nodes.clear();
        return usage_of({pod("bert-0", "n1", 2)}, "ml", nodes, now + later);
    };
    auto usage = look(0s, 0, 0);
    CHECK(usage.idle_since == now);
    const auto next = [&](job_usage fresh) {
        carry_on(fresh, usage, 3min);
        usage = std::move(fresh);
        return usage.idle_since;
    };
    CHECK(next(look(30s, 0, 0)) == now);
    CHECK(next(look(60s, std::nullopt, std::nullopt)) == now);  // the labeler does not answer for once
    CHECK(next(look(90s, 0, 0)) == now);
    CHECK(!next(look(120s, 0, 1)));
    CHECK(next(look(150s, 0, 0)) == now + 150s);
    CHECK(!next(look(180s, std::nullopt, 4)));  // not known of all, but one works
    CHECK(next(look(210s, 0, 0)) == now + 210s);
    CHECK(next(look(390s, std::nullopt, std::nullopt)) == now + 210s);
    CHECK(!next(look(391s, std::nullopt, std::nullopt)));  // nothing has been heard for too long
}

TEST_CASE("job usage: in words") {
    node_answers nodes;
    nodes["n1"] = answer({gpu(0, 0), gpu(1, 0)});
    auto usage = used({pod("bert-0", "n1", 2)}, nodes);
    usage.xids.push_back({"n1", 1, 79, "2026-11-26T07:00:00Z"});
    using facts = std::vector<std::pair<std::string_view, std::string>>;
    CHECK(usage_facts(usage, now + 75min) == facts{{"GPUs busy", "0 % on average, 0 % the least"},
                                                   {"GPUs idle", "all at 0 % for 1 h 15 min"},
                                                   {"GPU memory", "20.0 GiB of 160.0 GiB"},
                                                   {"GPU power", "200 W"},
                                                   {"XIDs", "79 on n1 GPU 1 at 2026-11-26T07:00:00Z"}});
    CHECK(usage_facts(used({pod("bert-0", "n2", 2)}, nodes), now) ==
          facts{{"GPUs busy", "unknown: node n2: no GPU labeler runs there"}});
}

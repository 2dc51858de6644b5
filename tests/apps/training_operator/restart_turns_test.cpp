// Whose turn it is to start again: tables, and 200 gangs that lose 25 nodes at once.
#include "turns/restart_turns.hpp"

#include <kcontrol/testing/fake_cluster.hpp>

#include "operator_world.hpp"
#include "support/how_much.hpp"
#include "turns/restart_pressure.hpp"

#include <algorithm>
#include <deque>
#include <map>

using namespace training_operator;
using namespace training_operator::tests;

namespace {

const time_point start{std::chrono::hours(1)};
using enum urgency;

/// Those of `ids` that have a turn, in the order asked.
class turns_of {
public:
    restart_turns turns;
    std::string ask(const std::string& ids, urgency how, double pressure, duration when,
                    const std::string& store = "") {
        std::string out;
        for (const char id : ids) {
            if (turns.ask(std::string(1, id), how, store, pressure, start + when)) out += id;
        }
        return out;
    }
};

}  // namespace

TEST_CASE("turns: a PriorityClass's value says how urgent a gang is") {
    CHECK(urgency_of(1000) == high);
    CHECK(urgency_of(999) == medium);
    CHECK(urgency_of(0) == medium);
    CHECK(urgency_of(-1) == low);
}

TEST_CASE("turns: 16 of medium and low at once, high ones never wait") {
    turns_of t;
    CHECK(t.ask("abcdefghijklmnopqrst", medium, 0, 0s) == "abcdefghijklmnop");
    CHECK(t.ask("ABCDEFGHIJKLMNOPQRSTUVW", high, 9, 0s).size() == 23);
    CHECK(t.ask("z", low, 0, 0s).empty());
    t.turns.done("a");
    CHECK(t.ask("tq", medium, 0, 1s) == "q");  // it has waited before t
    CHECK(t.ask("z", low, 0, 1s).empty());
    // A gang that does not run by then holds nobody up, and one that asks no more is none.
    CHECK(t.ask("rst", medium, 0, 10s) == "rst");
    CHECK(t.ask("z", low, 0, 10s) == "z");
}

TEST_CASE("turns: a medium one comes before low ones that have waited for longer") {
    turns_of t;
    CHECK(t.ask("abcdefghijklmnop", medium, 0, 0s).size() == 16);
    CHECK(t.ask("x", low, 0, 0s).empty());
    CHECK(t.ask("y", medium, 0, 1s).empty());
    t.turns.done("a");
    CHECK(t.ask("x", low, 0, 2s).empty());
    CHECK(t.ask("y", medium, 0, 2s) == "y");
    t.turns.done("b");
    CHECK(t.ask("x", low, 0, 3s) == "x");
}

TEST_CASE("turns: four at one checkpoint store, and others pass them") {
    turns_of t;
    CHECK(t.ask("abcdef", medium, 0, 0s, "s3://one") == "abcd");
    CHECK(t.ask("ghijkl", low, 0, 0s, "s3://two") == "ghij");
    CHECK(t.ask("xyz", low, 0, 0s) == "xyz");
    CHECK(t.ask("H", high, 0, 0s, "s3://one") == "H");
    t.turns.done("a");
    CHECK(t.ask("ef", medium, 0, 1s, "s3://one").empty());  // the high one asks there, too
    t.turns.done("b");
    CHECK(t.ask("ef", medium, 0, 2s, "s3://one") == "e");
}

TEST_CASE("turns: pressure halves medium, parks low, and neither for more than 60 s") {
    struct row {
        urgency how;
        double pressure;
        std::size_t at_once;
    };
    for (const auto& r : {row{medium, 0.59, 16},
                          {medium, 0.6, 8},
                          {medium, 9, 8},
                          {low, 0.59, 16},
                          {low, 0.6, 8},
                          {low, 1.49, 8},
                          {low, 1.5, 0}}) {
        CAPTURE(r.pressure);
        turns_of t;
        CHECK(t.ask("abcdefghijklmnopqrst", r.how, r.pressure, 0s).size() == r.at_once);
    }
    turns_of t;
    for (auto when = 0s; when < 60s; when += 1s) CHECK(t.ask("l", low, 2, when).empty());
    CHECK(t.ask("l", low, 2, 60s) == "l");
    CHECK(t.ask("H", high, 99, 60s) == "H");
}

TEST_CASE("pressure: the largest of 429s a second, a write's seconds, and the wait over its target") {
    restart_pressure p(60s);
    CHECK(p.value() == 0);
    p.requests(5, 10, 1, start);  // before it began
    CHECK(p.value() == 0);
    p.waiting(36s);
    CHECK(p.value() == doctest::Approx(0.6));
    p.waiting({});
    p.requests(5, 12, 5, start + 1s);
    CHECK(p.value() == doctest::Approx(1));  // 2 s each, half of which counts at first
    for (int i = 2; i <= 60; ++i) p.requests(5, 12, 5, start + std::chrono::seconds(i));
    CHECK(p.value() < 0.01);
    for (int i = 61; i <= 120; ++i)
        p.requests(5 + 2 * static_cast<std::uint64_t>(i - 60), 12, 5, start + std::chrono::seconds(i));
    CHECK(p.value() == doctest::Approx(2).epsilon(0.05));
}

namespace {

std::string class_of(int gang) { return gang % 4 == 0 ? "high" : gang % 4 == 1 ? "low" : "medium"; }

/// 200 nodes of 8 GPUs, and as many gangs of two ranks with 2 GPUs each; each eighth node is lost, and the others have
/// room for 350 gangs. Without classes all are medium.
class stampede : public operator_world {
public:
    const int nodes = test::full_size() ? 200 : 64;
    const std::size_t gangs = static_cast<std::size_t>(nodes);
    testing::fake_cluster kubelets{world, server, testing::fake_cluster_options().nodes(nodes)};

    explicit stampede(bool has_classes) : has_classes_(has_classes) {
        for (const auto& [name, value] : {std::pair("high", 1000), std::pair("low", -5)}) {
            (void)server.api()
                .create({{"apiVersion", "scheduling.k8s.io/v1"},
                         {"kind", "PriorityClass"},
                         {"metadata", {{"name", name}}},
                         {"value", value}})
                .value();
        }
        (void)server.api().patch({"", "nodes"}, {"", "n0"}, {{"spec", {{"unschedulable", true}}}}).value();
        for (int i = 0; i < nodes; ++i) {
            (void)server.api()
                .patch({"", "nodes"}, {"", "node-" + std::to_string(i)},
                       {{"status", {{"allocatable", {{"nvidia.com/gpu", "8"}, {"cpu", "64"}, {"pods", "20"}}}}}},
                       "status")
                .value();
        }
        settle();
    }
    void add_gangs(int first, int count) {
        for (int i = first; i < first + count; ++i) {
            json::object spec{{"containers", {{{"name", "trainer"}, {"image", "bert:1"}}}}};
            if (has_classes_ && class_of(i) != "medium") spec["priorityClassName"] = class_of(i);
            const std::string report =
                R"({"step":9,"checkpoint":{"step":7,"uri":"s3://store-)" + std::to_string(i % 8) + R"(/c"}})";
            const json::value pod{
                {"metadata", {{"annotations", {{"sim/run-ms", "forever"}, {"ai.kcontrol.dev/progress", report}}}}},
                {"spec", spec}};
            (void)server.api()
                .create(
                    {{"apiVersion", "ai.kcontrol.dev/v1alpha1"},
                     {"kind", "TrainingJob"},
                     {"metadata", {{"name", "gang-" + std::to_string(i)}}},
                     {"spec",
                      {{"workers", 2}, {"accelerator", {{"perWorker", 2}}}, {"template", pod}, {"backoffLimit", 9}}}})
                .value();
        }
    }
    std::map<std::string, training_job> jobs() {
        std::map<std::string, training_job> out;
        for (const auto& each : server.api().list(jobs_id)) {
            auto job = from_json<training_job>(json::serialize(each)).value();
            const auto name = job.metadata.name.str();
            out.emplace(name, std::move(job));
        }
        return out;
    }
    std::size_t running() {
        return static_cast<std::size_t>(
            std::ranges::count_if(jobs(), [](const auto& each) { return each.second.status.phase == "Running"; }));
    }
    /// The most within any second: writes of the whole cluster, and pods that the operator makes.
    struct peak {
        std::size_t writes = 0, pods = 0;
    };
    /// Until so many run or the time is over.
    peak busiest_second(std::size_t until_running, duration longest) {
        std::deque<peak> seen;  // each 250 ms of the last second
        peak most;
        for (auto left = longest; left > 0s; left -= 1s) {
            if (running() == until_running) break;
            for (int i = 0; i < 4; ++i) {
                seen.push_back({writes(), server.api().request_log().count("create", "pods")});
                if (seen.size() > 5) seen.pop_front();
                most.writes = std::max(most.writes, seen.back().writes - seen.front().writes);
                most.pods = std::max(most.pods, seen.back().pods - seen.front().pods);
                settle(250ms);
            }
        }
        return most;
    }

    /// What the loss of the nodes costs. By class, also where gangs have none.
    struct outcome {
        peak calm, rush;
        std::map<std::string, std::vector<double>> ran_after;  ///< from the detection, of gangs that lost a rank
        std::map<std::string, double> goodput;                 ///< of these, in the ten minutes from the loss on
        std::string text() const {
            std::string out;
            for (const char* of : {"high", "medium", "low"}) {
                const auto found = ran_after.find(of);
                if (found == ran_after.end()) continue;
                const auto& [least, most] = std::ranges::minmax(found->second);
                out += std::to_string(found->second.size()) + " " + of + ": run after " + std::to_string(least) +
                       " to " + std::to_string(most) + " s, goodput " + std::to_string(goodput.at(of)) + "; ";
            }
            return out + "all: " + std::to_string(goodput.at("all"));
        }
    };
    outcome lose_nodes() {
        outcome out;
        add_gangs(0, 16);
        out.calm = busiest_second(16, 60s);
        REQUIRE(running() == 16);
        // In turns, as people make them.
        for (int first = 16; first < nodes; first += 16) {
            add_gangs(first, std::min(16, nodes - first));
            settle(5s);
        }
        settle(30s);
        REQUIRE(running() == gangs);
        const auto lost = world.env().wall_now();
        for (int i = 0; i < nodes; i += 8) kubelets.lose_node("node-" + std::to_string(i));
        settle(50s);
        CHECK(running() == gangs);  // they may come back
        for (int i = 0; i < 120 && running() == gangs; ++i) settle(250ms);
        REQUIRE(running() < gangs);
        const auto detected = world.env().wall_now() - 250ms;
        out.rush = busiest_second(gangs, 60s);
        settle(lost + 10min - world.env().wall_now());
        CHECK(running() == gangs);
        CHECK(m->answer(http::request("GET", "/metrics"))
                  .body.find("training_job_recovery_seconds_count{part=\"load\"}") != std::string::npos);
        std::map<std::string, std::pair<double, double>> sums;  // of seconds: with steps, and all
        for (const auto& [name, job] : jobs()) {
            if (job.status.attempt < 2) continue;
            const auto began = job.status.phase_time.value();
            const auto is = class_of(std::stoi(name.substr(name.find('-') + 1)));
            out.ran_after[is].push_back(std::chrono::duration<double>(began - detected).count());
            for (const auto& of : {is, std::string("all")}) {
                sums[of].first += std::chrono::duration<double>(lost + 10min - began).count();
                sums[of].second += 600;
            }
        }
        for (const auto& [of, sum] : sums) out.goodput[of] = sum.first / sum.second;
        return out;
    }

private:
    bool has_classes_;
};

}  // namespace

TEST_CASE(
    "200 gangs lose 25 of 200 nodes: all run 60 s after detection, high ones first, and have more goodput by it") {
    const auto lose_nodes = [](bool has_classes) { return std::make_unique<stampede>(has_classes)->lose_nodes(); };
    const auto seen = lose_nodes(true), plain = lose_nodes(false);
    MESSAGE("writes and pods in the busiest second: calm start of 16 "
            << seen.calm.writes << " and " << seen.calm.pods << ", now " << seen.rush.writes << " and "
            << seen.rush.pods << "\nwith classes " << seen.text() << "\nwithout " << plain.text());
    CHECK(seen.rush.writes <= 2 * seen.calm.writes);
    // Without turns the writes alone are near their bound: half of them are the cluster's, which nothing makes wait.
    CHECK(seen.rush.pods <= 2 * seen.calm.pods);
    for (const char* of : {"high", "medium", "low"}) {
        CAPTURE(of);
        const auto& after = seen.ran_after.at(of);
        CHECK(*std::ranges::max_element(after) <= 60);
        CHECK(*std::ranges::max_element(seen.ran_after.at("high")) <= *std::ranges::max_element(after));
    }
    CHECK(seen.goodput.at("high") > plain.goodput.at("high"));
    CHECK(seen.goodput.at("all") > plain.goodput.at("all") - 0.01);
}

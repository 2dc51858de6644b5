// Recorded clusters: reading them, and running them.
#include "trace/trace.hpp"

#include "placement/placer.hpp"
#include "support/folders.hpp"
#include "trace/csv.hpp"
#include "trace/simulation.hpp"
#include "trace/tally.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using namespace gpu_scheduler;

namespace {

const std::string node_header = "sn,cpu_milli,memory_mib,gpu,model\n";
const std::string pod_header = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,creation_time,deletion_time\n";

std::string pods_error(const std::string& row) {
    const auto read = read_trace_pods("p.csv", pod_header + "ok,1,1,0,0,,0,0\n" + row, true);
    return read ? "" : read.error().message();
}
std::string nodes_error(const std::string& rows) {
    const auto read = read_trace_nodes("n.csv", node_header + rows);
    return read ? "" : read.error().message();
}
std::vector<trace_node> nodes_of(const std::string& rows) {
    return read_trace_nodes("n.csv", node_header + rows).value();
}
std::vector<trace_pod> pods_of(const std::string& rows) {
    return read_trace_pods("p.csv", pod_header + rows, true).value();
}

std::string read_file(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("csv: columns by name, in any order, and lines of any end") {
    const auto table = csv_table::parse("f", "b,x,a\r\n1,,3\r\n\n4,5,6", {"a", "b"}).value();
    REQUIRE(table.size() == 2);
    CHECK(table.at(0).text("a") == "3");
    CHECK(table.at(1).number("b", 0, 9).value() == 4);
    CHECK(table.at(1).number("b", 5, 9).error().message() == "f:4: b: \"4\" is no whole number from 5 to 9");
}

TEST_CASE("csv: what is wrong, and where") {
    const auto fault = [](std::string_view text) { return csv_table::parse("f", text, {"a", "b"}).error().message(); };
    CHECK(fault("") == "f:1: the line with the names of the columns is missing");
    CHECK(fault("a,c\n") == "f:1: column \"b\" is missing");
    CHECK(fault("\na,b,a\n") == "f:2: column \"a\" is there twice");
    CHECK(fault("a,b\n1,2\n1\n") == "f:3: 1 values, but the first line names 2 columns");
    CHECK(fault("a,b\n1,2,3\n") == "f:2: 3 values, but the first line names 2 columns");
}

TEST_CASE("trace: rows that are wrong") {
    CHECK(nodes_error("a,1,1,8,T4\n") == "");
    CHECK(nodes_error(",1,1,8,T4\n") == "n.csv:2: sn: the name is empty");
    CHECK(nodes_error("a,1,1,8,T4\na,1,1,8,T4\n") == "n.csv:3: sn: \"a\" is there twice");
    CHECK(nodes_error("a,-1,1,8,T4\n") == "n.csv:2: cpu_milli: \"-1\" is no whole number from 0 to 1125899906842624");
    CHECK(nodes_error("a,1,1,65,T4\n") == "n.csv:2: gpu: \"65\" is no whole number from 0 to 64");
    CHECK(nodes_error("a,1,1.5,8,T4\n").starts_with("n.csv:2: memory_mib: \"1.5\""));
    CHECK(nodes_error("a,99999999999999999999,1,8,T4\n").starts_with("n.csv:2: cpu_milli: "));

    CHECK(pods_error("p,1,1,1,460,T4|A10,5,9\n") == "");
    CHECK(pods_error(",1,1,1,460,,5,9\n") == "p.csv:3: name: the name is empty");
    CHECK(pods_error("p,1,1,1,0,,5,9\n") == "p.csv:3: gpu_milli: \"0\" is no whole number from 1 to 1000");
    CHECK(pods_error("p,1,1,1,1001,,5,9\n") == "p.csv:3: gpu_milli: \"1001\" is no whole number from 1 to 1000");
    CHECK(pods_error("p,1,1,0,500,,5,9\n") == "p.csv:3: gpu_milli: \"500\" is no whole number from 0 to 0");
    CHECK(pods_error("p,,1,1,500,,5,9\n").starts_with("p.csv:3: cpu_milli: \"\""));
    CHECK(pods_error("p,1,x,1,500,,5,9\n").starts_with("p.csv:3: memory_mib: \"x\""));
    CHECK(pods_error("p,1,1,1,500,,5,\n").starts_with("p.csv:3: deletion_time: \"\""));
    CHECK(pods_error("p,1,1,1,500,,9,5\n") == "p.csv:3: deletion_time: \"5\" is before creation_time");
    CHECK(pods_error("p,1,1,1\n") == "p.csv:3: 4 values, but the first line names 8 columns");
    CHECK(read_trace_pods("p", "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n", true).error().message() ==
          "p:1: column \"creation_time\" is missing");
    const auto pods = pods_of("p,1,2,1,460,T4|A10,5,9\n");
    CHECK(pods[0].products == std::vector<std::string>{"T4", "A10"});
    CHECK(pods[0].lifetime == 4);
}

TEST_CASE("simulate: pods in the order of the file, each once") {
    const auto nodes = nodes_of("a,8000,1000,1,T4\nb,8000,1000,2,A10\nc,1000,1000,0,\n");
    const auto pods = pods_of(
        "one,4000,1,1,1000,A10,0,0\n"
        "two,1000,1,1,500,,0,0\n"
        "big,1000,1,2,1000,,0,0\n"
        "fat,1000,2000,1,100,,0,0\n"
        "cpu,1000,1,0,0,,0,0\n"
        "two,1000,1,1,500,T4,0,0\n");
    const simulation_options options{placement_policy::best_fit, false};
    const auto report = simulate(nodes, pods, options);
    CHECK(report.placed == 4);
    CHECK(placements_csv(report, nodes, pods) == "name,node,gpus\none,b,0\ntwo,a,0\ncpu,c,\ntwo,a,0\n");
    // On "b" a GPU is free, which "big" and the pod of the other product can't use: two of six.
    CHECK(report.fragmentation_ratio == doctest::Approx(2.0 / 6));
    const auto line = to_json(report, options, 0.5);
    CHECK(line.starts_with(
        R"({"pods":6,"placed":4,"gpuMilliCapacity":3000,"gpuMilliAllocated":2000,"allocationRatio":0.666)"));
    CHECK(line.find(R"("cpuAllocationRatio":0.41176)") != std::string::npos);
    CHECK(line.find(R"("fragmentationRatio":0.333)") != std::string::npos);
    CHECK(line.ends_with("\"overcommitted\":0,\"seconds\":0.5}\n"));
}

TEST_CASE("simulate: nothing at all") {
    const auto report = simulate({}, {}, {});
    CHECK(report.allocation_ratio == 0);
    CHECK(report.fragmentation_ratio == 0);
    CHECK(simulate({}, {}, {placement_policy::spread, true}).mean_wait_seconds == 0);
    const auto pods = pods_of("p,1,1,0,0,,0,0\n");
    CHECK(simulate({}, pods, {placement_policy::spread, true}).placed == 0);
}

TEST_CASE("simulate: pods that arrive, wait and leave") {
    const auto nodes = nodes_of("a,8000,1000,2,T4\n");
    // Both GPUs are taken until 10; "pair" waits for both, and "third" for one, which it gets first: "pair" doesn't
    // fit.
    const auto pods = pods_of(
        "first,0,0,1,1000,,0,10\n"
        "second,0,0,1,1000,,0,20\n"
        "pair,0,0,2,1000,,5,6\n"
        "third,0,0,1,1000,,6,16\n"
        "never,0,0,3,1000,,7,8\n"
        "late,0,0,1,500,,40,40\n");
    const auto report = simulate(nodes, pods, {placement_policy::best_fit, true});
    CHECK(report.placed == 5);
    // first 0, second 0, pair 15 (at 20, when third and second leave), third 4, late 0
    CHECK(report.mean_wait_seconds == doctest::Approx(19.0 / 5));
    CHECK(report.p99_wait_seconds == 15);
    // Two GPUs to 20, two for a second more, of 40 seconds.
    CHECK(report.allocation_ratio == doctest::Approx(21.0 / 40));
    CHECK(report.overcommitted == 0);
}

TEST_CASE("simulate: with times, equal to trying all that wait after each departure") {
    std::mt19937 random(3);
    for (int round = 0; round < 60; ++round) {
        const auto nodes = nodes_of("a,16000,100,2,T4\nb,8000,100,4,A10\nc,4000,50,1,T4\n");
        std::string rows;
        for (int i = 0; i < 60; ++i) {
            const char* shapes[] = {"4000,10,1,1000,", "1000,5,1,300,", "1000,5,1,300,T4", "2000,60,2,1000,",
                                    "500,1,0,0,"};
            const auto created = random() % 50;
            rows += "p" + std::to_string(i) + "," + shapes[random() % 5] + "," + std::to_string(created) + "," +
                    std::to_string(created + random() % 20) + "\n";
        }
        const auto pods = pods_of(rows);
        const auto policy = static_cast<placement_policy>(random() % 4);
        const auto report = simulate(nodes, pods, {policy, true});

        // The plain way: no kinds, no lines, each decision anew.
        placer by(policy, usual_pods_of(pods));
        std::vector<room> free;
        std::vector<std::int64_t> memory;
        for (const auto& node : nodes) {
            free.push_back({node.cpu_milli, std::vector<int>(static_cast<std::size_t>(node.gpus), whole_gpu)});
            memory.push_back(node.memory_mib);
        }
        std::vector<std::size_t> waiting, running;
        std::vector<std::int64_t> ends(pods.size());
        std::vector<simulated_place> places(pods.size());
        std::int64_t waits = 0, placed = 0;
        const auto demand_of = [&](const trace_pod& pod) {
            return demand{pod.cpu_milli, pod.gpus, pod.gpus > 0 ? pod.gpu_milli : whole_gpu};
        };
        const auto start = [&](std::size_t pod, std::int64_t now) {
            std::optional<choice> best;
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                if (memory[i] < pods[pod].memory_mib || !takes_product(pods[pod].products, nodes[i].product)) continue;
                const auto next = by.best_on(free[i], demand_of(pods[pod]), nodes[i].product);
                if (!next || (best && std::pair(best->cost, best->tie) <= std::pair(next->cost, next->tie))) continue;
                best = next;
                places[pod] = {i, next->gpus};
            }
            if (!best) return false;
            free[places[pod].node] = room_after(free[places[pod].node], demand_of(pods[pod]), places[pod].gpus);
            memory[places[pod].node] -= pods[pod].memory_mib;
            ends[pod] = now + pods[pod].lifetime;
            waits += now - pods[pod].created;
            ++placed;
            running.push_back(pod);
            return true;
        };
        // Pods that live for no time leave at once, and others may come then.
        const auto leave = [&](std::int64_t now) {
            const auto ends_now = [&](std::size_t pod) {
                if (ends[pod] != now) return false;
                auto& at = free[places[pod].node];
                at.cpu_milli += pods[pod].cpu_milli;
                for (const auto gpu : places[pod].gpus) at.gpus[gpu] += pods[pod].gpu_milli;
                memory[places[pod].node] += pods[pod].memory_mib;
                return true;
            };
            while (std::erase_if(running, ends_now) > 0) {
                std::erase_if(waiting, [&](std::size_t pod) { return start(pod, now); });
            }
        };
        for (std::int64_t now = 0; now < 2000; ++now) {
            leave(now);
            for (std::size_t pod = 0; pod < pods.size(); ++pod) {
                if (pods[pod].created != now) continue;
                if (!start(pod, now)) waiting.push_back(pod);
                leave(now);
            }
        }
        CAPTURE(round);
        REQUIRE(report.overcommitted == 0);
        REQUIRE(report.placed == static_cast<std::size_t>(placed));
        REQUIRE(report.mean_wait_seconds * static_cast<double>(placed) == doctest::Approx(static_cast<double>(waits)));
    }
}

TEST_CASE("tally: says what is too much") {
    const auto nodes = nodes_of("a,8000,100,2,T4\n");
    const auto pods = pods_of("p,1000,10,1,600,,0,0\nq,8000,10,0,0,,0,0\nr,0,0,2,1000,A10,0,0\n");
    tally sums(nodes);
    CHECK(sums.add(pods[0], {0, {1}}));
    CHECK(sums.add(pods[0], {0, {0}}));
    CHECK_FALSE(sums.add(pods[0], {0, {1}}));
    sums.remove(pods[0], {0, {1}});
    CHECK_FALSE(sums.add(pods[1], {0, {}}));
    sums.remove(pods[1], {0, {}});
    CHECK_FALSE(sums.add(pods[0], {0, {}}));
    CHECK(sums.gpu_milli() == 1200);
    tally others(nodes);
    CHECK_FALSE(others.add(pods[2], {0, {0, 1}}));
    CHECK_FALSE(others.add(pods[0], {0, {0}}));
}

TEST_CASE("simulate: the openb trace, in its order") {
    const auto folder = kcontrol::test::source_file("../shared/data/traces/");
    const auto node_text = read_file(folder + "openb_node_list_all_node.csv");
    const auto pod_text = read_file(folder + "openb_pod_list_default.csv");
    if (node_text.empty() || pod_text.empty()) {
        MESSAGE("skipped: there is no ../shared/data/traces");
        return;
    }
    auto nodes = read_trace_nodes("nodes", node_text).value();
    std::erase_if(nodes, [](const trace_node& each) { return each.gpus == 0; });
    const auto pods = read_trace_pods("pods", pod_text, true).value();
    REQUIRE(nodes.size() == 1213);
    REQUIRE(pods.size() == 8152);
    const auto run = [&](placement_policy policy) { return simulate(nodes, pods, {policy, false}); };
    const auto gradient = run(placement_policy::fragmentation), fit = run(placement_policy::best_fit);
    CHECK(gradient.overcommitted == 0);
    CHECK(fit.overcommitted == 0);
    CHECK(gradient.gpu_milli_capacity == 6'212'000);
    CHECK(gradient.allocation_ratio > 0.93);
    CHECK(gradient.allocation_ratio > fit.allocation_ratio);
    CHECK(run(placement_policy::spread).allocation_ratio < fit.allocation_ratio);
}

// PB-18: decisions of a scheduler on one thread, in a cluster of 5,000 nodes and 50,000 pods. No server, no binding.
//
// usage: scheduling [ROW]...
// Prints "row TAB value TAB unit". Rates are by CPU time. Without names all rows are measured.
#include <kcontrol/scheduling/cycle.hpp>
#include <kcontrol/scheduling/default_plugins.hpp>
#include <kcontrol/scheduling/preemption.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace kcontrol;
using api::core::v1::node;
using api::core::v1::pod;
using pod_pointer = std::shared_ptr<const scheduling::pod_info>;

constexpr int node_count = 5'000;
constexpr int pod_count = 50'000;

double cpu_seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;  // seam: ok, a benchmark's stop watch
}

struct pod_shape {
    const char* cpu = "100m";
    const char* memory = "200Mi";
    int gpus = 0;
    int priority = 0;
    const char* app = "web";
};

pod_pointer make_pod(int number, const pod_shape& shape, const std::string& on = {}) {
    auto made = std::make_shared<pod>();
    made->metadata.namespace_ = "team-" + std::to_string(number % 20);
    made->metadata.name = std::string(shape.app) + "-" + std::to_string(number);
    made->metadata.uid = made->metadata.name;
    made->metadata.labels["app"] = shape.app;
    made->spec.node_name = on;
    made->spec.priority = shape.priority;
    api::core::v1::container one;
    one.name = "main";
    one.image = "registry.example.com/web:1";
    one.resources.requests["cpu"] = shape.cpu;
    one.resources.requests["memory"] = shape.memory;
    if (shape.gpus > 0) one.resources.requests["nvidia.com/gpu"] = std::to_string(shape.gpus);
    made->spec.containers.push_back(std::move(one));
    return std::make_shared<const scheduling::pod_info>(std::move(made));
}

std::string node_name(int number) { return "node-" + std::to_string(number); }

// All nodes, with `pods` pods that run on them in turn.
std::unique_ptr<scheduling::cache> make_cluster(int pods, const pod_shape& shape = {}) {
    auto out = std::make_unique<scheduling::cache>();
    for (int i = 0; i < node_count; ++i) {
        auto made = std::make_shared<node>();
        made->metadata.name = node_name(i);
        made->metadata.labels["kubernetes.io/hostname"] = node_name(i);
        made->metadata.labels["topology.kubernetes.io/zone"] = "zone-" + std::to_string(i % 3);
        made->status.allocatable["cpu"] = "32";
        made->status.allocatable["memory"] = "256Gi";
        made->status.allocatable["pods"] = "110";
        made->status.allocatable["nvidia.com/gpu"] = "8";
        out->set_node(std::move(made));
    }
    for (int i = 0; i < pods; ++i) out->set_pod(make_pod(i, shape, node_name(i % node_count)));
    return out;
}

void print(const char* row, double value, const char* unit) {
    std::printf("%s\t%.*f\t%s\n", row, value >= 100 ? 0 : 2, value, unit);
    std::fflush(stdout);
}

void require(bool holds, const char* what) {
    if (!holds) throw std::runtime_error(what);
}

void measure_decisions(const char* row, const pod_shape& shape) {
    const auto cluster = make_cluster(pod_count);
    const scheduling::volume_catalog volumes;
    const auto plugins = scheduling::default_profile("bench", volumes);
    scheduling::cycle cycle(plugins);
    constexpr int decisions = 10'000;
    std::vector<pod_pointer> pods;
    for (int i = 0; i < decisions; ++i) pods.push_back(make_pod(pod_count + i, shape));
    const double start = cpu_seconds();
    for (const auto& one : pods) {
        auto decided = cycle.decide(cluster->prepare(*one, plugins.labels()), *one);
        require(decided.placed() && cycle.reserve(cluster->snapshot(), one, decided).has_value(), "a pod has no place");
        require(static_cast<bool>(cluster->assume(one, decided.node)), "a pod counts already");
    }
    print(row, decisions / (cpu_seconds() - start), "pods/s");
}

void measure_gang(const char* row) {
    const auto cluster = make_cluster(pod_count);
    const scheduling::volume_catalog volumes;
    const auto plugins = scheduling::default_profile("bench", volumes);
    scheduling::cycle cycle(plugins);
    pod_shape shape;
    shape.gpus = 8;
    shape.app = "gang";
    std::vector<pod_pointer> pods;
    for (int i = 0; i < 1'000; ++i) pods.push_back(make_pod(i, shape));
    const double start = cpu_seconds();
    const auto decided = cycle.decide_gang(*cluster, pods, 1'000);
    require(decided.placed, "the gang has no place");
    print(row, (cpu_seconds() - start) * 1e3, "ms");
}

// Two pods on each of 500 nodes may go; the other nodes are full of what may not.
void measure_preemption(const char* row) {
    pod_shape low, high;
    low.gpus = 4;
    high.gpus = 8;
    high.priority = 1000;
    high.app = "high";
    const auto cluster = make_cluster(0);
    for (int i = 0; i < node_count; ++i) {
        if (i % 10 != 0) {
            cluster->set_pod(make_pod(i, high, node_name(i)));
        } else {
            low.app = "low-a";
            cluster->set_pod(make_pod(i, low, node_name(i)));
            low.app = "low-b";
            cluster->set_pod(make_pod(i, low, node_name(i)));
        }
    }
    const scheduling::volume_catalog volumes;
    const auto plugins = scheduling::default_profile("bench", volumes);
    scheduling::cycle cycle(plugins);
    high.app = "preemptor";
    const auto preemptor = make_pod(0, high);
    scheduling::preemption_policy policy;
    policy.candidate_nodes(100, 100);
    const double start = cpu_seconds();
    constexpr int runs = 10;
    for (int i = 0; i < runs; ++i) {
        const auto plan = scheduling::plan_preemption(cycle, *cluster, preemptor, policy);
        require(plan.found() && plan.victims.size() == 2, "no victims");
    }
    print(row, (cpu_seconds() - start) * 1e3 / runs, "ms");
}

}  // namespace

int main(int count, char** words) {
    pod_shape gpu;
    gpu.gpus = 1;
    const std::pair<const char*, std::function<void(const char*)>> rows[] = {
        {"pods", [](const char* row) { measure_decisions(row, {}); }},
        {"extended", [&](const char* row) { measure_decisions(row, gpu); }},
        {"gang_1000", measure_gang},
        {"victims_1000", measure_preemption},
    };
    for (const auto& [row, measure] : rows) {
        const bool wanted =
            count < 2 || std::any_of(words + 1, words + count, [&](const char* w) { return row == std::string(w); });
        if (wanted) measure(row);
    }
}

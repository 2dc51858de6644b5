// PB-22: decisions of gpu_scheduler on one thread, in a cluster of 1,250 nodes with 8 GPUs. No server, no binding.
//
// Prints "row TAB value TAB unit", by CPU time:
// gang: a gang of 64 pods with 8 GPUs each is placed in one rack, of 20 racks with one that has the room.
// why: what /api/v1/why says of a pod that waits, in a cluster whose GPUs are all held.
// queue: 6,000 pods with a GPU and 500 gangs of 8, each gang in one rack, until all GPUs are given.
#include "recorded/recorded_view.hpp"
#include "web/answers.hpp"

#include <cstdio>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace {

using namespace gpu_scheduler;
namespace core = kcontrol::api::core::v1;

constexpr int nodes = 1'250;
constexpr int in_a_rack = 64;

double cpu_seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;  // seam: ok, a benchmark's stop watch
}

std::string node_name(int number) { return "node-" + std::to_string(number); }

std::shared_ptr<core::pod> make_pod(const std::string& name, int gpus, const std::string& on) {
    auto out = std::make_shared<core::pod>();
    out->metadata.namespace_ = "team";
    out->metadata.name = name;
    out->metadata.uid = name;
    out->spec.scheduler_name = "gpu-scheduler";
    out->spec.node_name = on;
    out->status.phase = on.empty() ? "Pending" : "Running";
    core::container one;
    one.name = "main";
    one.resources.requests["cpu"] = std::to_string(gpus);
    one.resources.requests["nvidia.com/gpu"] = std::to_string(gpus);
    one.resources.limits = one.resources.requests;
    out->spec.containers.push_back(std::move(one));
    return out;
}

// All nodes; those before `held` have a pod with two of their GPUs, or with all.
recording cluster(int held, int gpus) {
    recording out;
    for (int i = 0; i < nodes; ++i) {
        auto made = std::make_shared<core::node>();
        made->metadata.name = node_name(i);
        made->metadata.labels["topology.kubernetes.io/rack"] = "rack-" + std::to_string(i / in_a_rack);
        for (const auto& [what, amount] : {std::pair("cpu", "128"), std::pair("memory", "2Ti"),
                                           std::pair("pods", "110"), std::pair("nvidia.com/gpu", "8")}) {
            made->status.allocatable[what] = amount;
        }
        out.all<core::node>().push_back(std::move(made));
        if (i >= held) continue;
        auto pod = make_pod("held-" + std::to_string(i), gpus, node_name(i));
        std::string record;
        for (int g = 0; g < gpus; ++g) {
            record += (g > 0 ? ",{\"uuid\":\"" : "{\"uuid\":\"") + node_name(i) + "/" + std::to_string(g) + "\"}";
        }
        pod->metadata.annotations[std::string(record_annotation)] = "{\"v\":1,\"devices\":[" + record + "]}";
        out.all<core::pod>().push_back(std::move(pod));
    }
    return out;
}

std::shared_ptr<recorded_view> look_at(const recording& of) {
    auto view = recorded_view::make(of);
    if (!view) throw std::runtime_error(view.error().what());
    return *view;
}

void add_gang(recording& to, const std::string& name, int size, int gpus) {
    for (int i = 0; i < size; ++i) {
        auto pod = make_pod(name + "-" + std::to_string(i), gpus, {});
        pod->metadata.labels["scheduling.kcontrol.dev/gang"] = name;
        pod->metadata.annotations["scheduling.kcontrol.dev/gang-size"] = std::to_string(size);
        pod->metadata.annotations["scheduling.kcontrol.dev/topology"] = "required:topology.kubernetes.io/rack";
        to.all<core::pod>().push_back(std::move(pod));
    }
}

// Seconds until all that wait have a place.
double decide_all(const recording& with) {
    const auto view = look_at(with);
    const double start = cpu_seconds();
    const auto decisions = view->decide();
    const double took = cpu_seconds() - start;
    for (const auto& each : decisions) {
        if (each.node.empty()) throw std::runtime_error(each.message);
    }
    return took;
}

double gang_ms() {
    auto with = cluster(18 * in_a_rack, 2);  // the racks before the last full one have no room
    add_gang(with, "ring", 64, 8);
    return decide_all(with) * 1e3;
}

double queue_rate() {
    constexpr int pods = 6'000, gangs = 500;
    auto with = cluster(0, 0);
    for (int i = 0; i < gangs; ++i) add_gang(with, "gang-" + std::to_string(i), 8, 1);
    for (int i = 0; i < pods; ++i) with.all<core::pod>().push_back(make_pod("pod-" + std::to_string(i), 1, {}));
    return (pods + 8 * gangs) / decide_all(with);
}

double why_ms() {
    auto with = cluster(nodes, 8);
    with.all<core::pod>().push_back(make_pod("waits", 8, {}));
    const auto view = look_at(with);
    const answers says(view, view->known());
    constexpr int runs = 20;
    const double start = cpu_seconds();
    for (int i = 0; i < runs; ++i) {
        if (const auto said = says.why("team/waits"); !said) throw std::runtime_error(said.error().what());
    }
    return (cpu_seconds() - start) / runs * 1e3;
}

}  // namespace

int main() {
    std::printf("gang of 64 x 8 GPUs into one rack\t%.1f\tms\n", gang_ms());
    std::printf("why\t%.1f\tms\n", why_ms());
    std::printf("queue of 6,000 pods and 500 gangs of 8\t%.0f\tpods/s\n", queue_rate());
}

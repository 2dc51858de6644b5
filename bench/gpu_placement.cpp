// PB-21: how well placements fill the openb trace, and how long pods wait. No server; one thread.
//
// usage: gpu_placement NODES.csv PODS.csv [SEEDS]
// Prints "row TAB value TAB unit": means of SEEDS (10) runs, and the slowest one.
//
// allocation: all pods, and draws with replacement until they ask for 130 % of the GPUs, shuffled, each placed once.
// waits: 100,000 draws that arrive at random times, live for an hour at most, and ask for 100 % of the GPUs.
#include "trace/simulation.hpp"
#include "trace/trace.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace gpu_scheduler;

std::string read_file(const char* path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

double milli_of(const trace_pod& pod) { return double(pod.gpus) * pod.gpu_milli; }

// std::shuffle and the distributions differ between libraries; these do not.
class draws {
public:
    draws(const std::vector<trace_pod>& pods, double gpu_milli, unsigned seed)
        : pods_(pods), gpu_milli_(gpu_milli), random_(seed) {}

    std::vector<trace_pod> inflated() {
        auto out = pods_;
        double sum = 0;
        for (const auto& pod : out) sum += milli_of(pod);
        while (sum < 1.3 * gpu_milli_) sum += milli_of(out.emplace_back(one()));
        for (std::size_t i = out.size(); i > 1; --i) std::swap(out[i - 1], out[random_() % i]);
        return out;
    }
    std::vector<trace_pod> arriving(int count) {
        std::vector<trace_pod> out;
        double work = 0;
        for (int i = 0; i < count; ++i) {
            auto& pod = out.emplace_back(one());
            pod.lifetime = std::min<std::int64_t>(pod.lifetime, 3600);
            work += milli_of(pod) * static_cast<double>(pod.lifetime);
        }
        const double between = work / count / gpu_milli_;  // seconds, on average
        double now = 0;
        for (auto& pod : out) {
            now -= between * std::log((static_cast<double>(random_() >> 11U) + 0.5) / 9007199254740992.0);
            pod.created = static_cast<std::int64_t>(now);
        }
        return out;
    }

private:
    const trace_pod& one() { return pods_[random_() % pods_.size()]; }

    const std::vector<trace_pod>& pods_;
    double gpu_milli_;
    std::mt19937_64 random_;
};

double cpu_seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;  // seam: ok, a benchmark's stop watch
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return std::fprintf(stderr, "usage: gpu_placement NODES.csv PODS.csv [SEEDS]\n"), 2;
    auto nodes = read_trace_nodes(argv[1], read_file(argv[1]));
    auto pods = read_trace_pods(argv[2], read_file(argv[2]), true);
    if (!nodes || !pods) {
        return std::fprintf(stderr, "%s\n", (nodes ? pods.error() : nodes.error()).message().c_str()), 2;
    }
    const unsigned seeds = argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 10;
    std::erase_if(*nodes, [](const trace_node& each) { return each.gpus == 0; });
    double gpu_milli = 0;
    for (const auto& each : *nodes) gpu_milli += whole_gpu * each.gpus;
    for (const char* name : {"fragmentation", "best-fit", "spread"}) {
        const auto policy = parse_placement(name).value();
        double allocation = 0, least = 1, wait = 0, p99 = 0, slowest = 0, beyond = 0;
        for (unsigned seed = 1; seed <= seeds; ++seed) {
            draws from(*pods, gpu_milli, seed);
            const auto inflated = from.inflated(), arriving = from.arriving(100'000);
            const auto begin = cpu_seconds();
            const auto filled = simulate(*nodes, inflated, {policy, false});
            slowest = std::max(slowest, cpu_seconds() - begin);
            const auto timed = simulate(*nodes, arriving, {policy, true});
            allocation += filled.allocation_ratio / seeds;
            least = std::min(least, filled.allocation_ratio);
            wait += timed.mean_wait_seconds / seeds;
            p99 += static_cast<double>(timed.p99_wait_seconds) / seeds;
            beyond += static_cast<double>(filled.overcommitted + timed.overcommitted);
        }
        std::printf("%s: allocation\t%.5f\tof the GPUs\n", name, allocation);
        std::printf("%s: least allocation\t%.5f\tof the GPUs\n", name, least);
        std::printf("%s: slowest run\t%.2f\ts CPU\n", name, slowest);
        std::printf("%s: mean wait\t%.1f\ts\n", name, wait);
        std::printf("%s: p99 wait\t%.1f\ts\n", name, p99);
        std::printf("%s: overcommitted\t%.0f\tplacements\n", name, beyond);
    }
}

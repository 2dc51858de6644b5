#include "trace/simulated_cluster.hpp"

#include <utility>

namespace gpu_scheduler {

simulated_cluster::simulated_cluster(const std::vector<trace_node>& nodes, placement_policy policy,
                                     std::vector<usual_pod> usual)
    : nodes_(nodes), placer_(policy, std::move(usual)) {
    for (const auto& node : nodes) {
        room free{node.cpu_milli, std::vector<int>(static_cast<std::size_t>(node.gpus), whole_gpu)};
        states_.push_back({std::move(free), node.memory_mib});
    }
}

std::size_t simulated_cluster::kind_of(const trace_pod& pod) {
    const int milli = pod.gpus > 0 ? pod.gpu_milli : whole_gpu;
    const auto [found, is_new] =
        kinds_.try_emplace({{pod.cpu_milli, pod.gpus, milli}, pod.memory_mib, pod.products}, kind_.size());
    if (is_new) {
        kind_.push_back(&found->first);
        cached_.emplace_back(nodes_.size());
    }
    return found->second;
}

const std::optional<choice>& simulated_cluster::best_on(std::size_t kind, std::size_t node) {
    auto& cached = cached_[kind][node];
    const auto& state = states_[node];
    if (cached.version == state.version) return cached.best;
    cached.version = state.version;
    cached.best.reset();
    const auto& pod = *kind_[kind];
    const bool may = state.memory_mib >= pod.memory_mib && takes_product(pod.products, nodes_[node].product);
    if (may) cached.best = placer_.best_on(state.free, pod.what, nodes_[node].product);
    return cached.best;
}

bool simulated_cluster::fits(std::size_t kind, std::size_t node) { return best_on(kind, node).has_value(); }

std::optional<simulated_place> simulated_cluster::place(std::size_t kind) {
    const choice* best = nullptr;
    std::size_t on = 0;
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
        const auto& next = best_on(kind, node);
        if (!next || (best != nullptr && std::pair(best->cost, best->tie) <= std::pair(next->cost, next->tie)))
            continue;
        best = &*next;
        on = node;
    }
    if (best == nullptr) return {};
    simulated_place out{on, best->gpus};
    auto& state = states_[on];
    state.free = room_after(std::move(state.free), kind_[kind]->what, out.gpus);
    state.memory_mib -= kind_[kind]->memory_mib;
    ++state.version;
    return out;
}

void simulated_cluster::release(std::size_t kind, const simulated_place& from) {
    auto& state = states_[from.node];
    state.free.cpu_milli += kind_[kind]->what.cpu_milli;
    state.memory_mib += kind_[kind]->memory_mib;
    for (const auto gpu : from.gpus) state.free.gpus[gpu] += kind_[kind]->what.milli;
    ++state.version;
}

std::int64_t simulated_cluster::free_gpu_milli() const {
    std::int64_t sum = 0;
    for (const auto& state : states_) sum += free_milli(state.free);
    return sum;
}

double simulated_cluster::fragmented_gpu_milli() {
    double sum = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) sum += placer_.usual_on(nodes_[i].product).of(states_[i].free);
    return sum;
}

}  // namespace gpu_scheduler

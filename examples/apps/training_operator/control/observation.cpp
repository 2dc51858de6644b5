#include "control/observation.hpp"

#include <kcontrol/controllerutil/owner.hpp>

#include "fits/free_nodes.hpp"
#include "job/names.hpp"

namespace training_operator {
namespace {

// The pods of what holds the ranks are still there when that is gone: only its name says whose they were.
bool is_rank(const rank_pod& pod, const training_job& job) {
    if (is_controlled_by(pod.metadata, job.metadata)) return true;
    const auto* holder = controller_of(pod.metadata);
    const bool held = holder != nullptr && holder->name == job.metadata.name && job.spec.executor != executor_names[0];
    return held && pod.metadata.namespace_ == job.metadata.namespace_ && pod.metadata.labels.get(attempt_label);
}

const rank_pod& object_of(const rank_pod& found) { return found; }
const gate_job& object_of(const gate_job& found) { return found; }
template <class T>
const T& object_of(const std::shared_ptr<const T>& found) {
    return *found;
}

}  // namespace

manager_options watched() {
    const auto ours = informer_options().label_selector(job_label);
    return manager_options().cache(cache_options().for_kind<rank_pod>(ours).for_kind<gate_job>(ours));
}

namespaced_name job_of(const rank_pod& pod) {
    const text* name = pod.metadata.labels.get(job_label);
    return {pod.metadata.namespace_, name == nullptr ? std::string() : name->str()};
}

observation::observation(manager& m)
    : manager_(&m),
      jobs_(m.get_informer<training_job>()),
      pods_(m.get_informer<rank_pod>()),
      gates_(m.get_informer<gate_job>()),
      nodes_(m.get_informer<rank_node>()),
      priorities_(m.get_informer<priority_level>()) {}

result<observation> observation::of(manager& m) {
    observation out(m);
    auto pods = out.pods_->add_index("job", index_by_label(job_label));
    if (!pods) return pods.error();
    auto gates = out.gates_->add_index("job", index_by_label(job_label));
    if (!gates) return gates.error();
    auto by_node = out.pods_->add_index("node", index_by_field(&rank_pod::spec, &rank_pod_spec::node_name));
    if (!by_node) return by_node.error();
    out.pods_by_job_ = *pods;
    out.gates_by_job_ = *gates;
    out.by_node_ = *by_node;
    return out;
}

template <class Gates, class Pods>
facts observation::read(const training_job& job, const Gates& gates, const Pods& pods) const {
    const auto read_pods = [&](const auto& which) {
        gang out;
        for (const auto& each : pods) {
            const rank_pod& pod = object_of(each);
            if (which(pod)) out.push_back(read_rank(pod, nodes_->get({"", pod.spec.node_name}).get()));
        }
        return out;
    };
    facts out;
    out.ranks = read_pods([&](const rank_pod& pod) { return is_rank(pod, job); });
    for (const auto& each : gates) {
        const gate_job& gate = object_of(each);
        if (!is_controlled_by(gate.metadata, job.metadata) || !gate.metadata.labels.get(gate_label)) continue;
        const auto of_gate = [&](const rank_pod& pod) { return is_controlled_by(pod.metadata, gate.metadata); };
        out.gates.push_back(read_gate(gate, read_pods(of_gate)));
    }
    return out;
}

facts observation::cached(const training_job& job) const {
    const std::string_view name = job.metadata.name;
    return read(job, gates_->by_index(gates_by_job_, name), pods_->by_index(pods_by_job_, name));
}

awaitable<result<facts>> observation::asked(client server, training_job job, std::stop_token stop) const {
    list_options which;
    which.in_namespace(job.metadata.namespace_);
    which.label_selector(job_label + ("=" + job.metadata.name.str())).stop(stop);
    server = server.live();
    std::vector<std::shared_ptr<const gate_job>> gates;
    if (!job.spec.gates.empty()) {
        auto found = co_await server.list<gate_job>(which);
        if (!found) co_return found.error();
        gates = std::move(*found);
    }
    // After the Jobs: of one that has ended there is the pod that did.
    const auto pods = co_await server.list<rank_pod>(which);
    if (!pods) co_return pods.error();
    co_return read(job, gates, *pods);
}

std::int32_t observation::priority_of(const training_job& job) const {
    const auto& pod = job.spec.template_.spec;
    if (pod.priority) return *pod.priority;
    if (!pod.priority_class_name.empty()) {
        const auto found = priorities_->get({"", pod.priority_class_name});
        return found ? found->value : 0;
    }
    for (const auto& each : priorities_->list()) {
        if (each->global_default) return each->value;
    }
    return 0;
}

duration observation::average_wait(wall_time now) const {
    duration sum{};
    std::int64_t count = 0;
    for (const auto& job : jobs_->list()) {
        const auto& status = job->status;
        const bool waits = status.phase == "Starting" || status.phase == "Queued";
        if (!waits || status.on_fallback || !status.wait_time.present()) continue;
        sum += std::max<duration>(now - status.wait_time.value(), {});
        ++count;
    }
    return count == 0 ? duration{} : sum / count;
}

awaitable<result<bool>> observation::fits(client server, training_job job, std::stop_token stop) const {
    list_options which;
    which.stop(stop);
    server = server.live();
    const auto nodes = co_await server.list<offered_node>(which);
    if (!nodes) co_return nodes.error();
    const auto pods = co_await server.list<placed_pod>(which);
    if (!pods) co_return pods.error();
    // Its own ranks run on CPUs now, which they give back.
    std::vector<std::shared_ptr<const placed_pod>> others;
    for (const auto& pod : *pods) {
        if (!is_controlled_by(pod->metadata, job.metadata)) others.push_back(pod);
    }
    co_return workers_that_fit(job, *nodes, others) >= job.spec.workers;
}

std::vector<namespaced_name> observation::jobs_on(std::string_view node) const {
    std::vector<namespaced_name> out;
    for (const rank_pod& pod : pods_->by_index(by_node_, node)) out.push_back(job_of(pod));
    return out;
}

awaitable<void> observation::seen(object_meta written, std::stop_token stop) const {
    const auto deadline = manager_->env().now() + std::chrono::seconds(5);
    const auto came = co_await jobs_->at_least(written, std::move(stop), deadline);
    static_cast<void>(came);  // the next write meets a conflict then
}

}  // namespace training_operator

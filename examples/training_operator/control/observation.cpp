#include "control/observation.hpp"

#include <kcontrol/controllerutil/owner.hpp>

#include "job/names.hpp"

namespace training_operator {

observation::observation(manager& m)
    : manager_(&m),
      jobs_(m.get_informer<training_job>()),
      pods_(m.get_informer<rank_pod>()),
      nodes_(m.get_informer<rank_node>()) {}

result<observation> observation::of(manager& m) {
    observation out(m);
    auto by_owner = out.pods_->add_index("owner", index_by_controller());
    if (!by_owner) return by_owner.error();
    auto by_node = out.pods_->add_index("node", index_by_field(&rank_pod::spec, &rank_pod_spec::node_name));
    if (!by_node) return by_node.error();
    out.by_owner_ = *by_owner;
    out.by_node_ = *by_node;
    return out;
}

rank observation::read(const rank_pod& pod) const {
    const auto node = nodes_->get({"", pod.spec.node_name});
    return read_rank(pod, node.get());
}

gang observation::cached(const training_job& job) const {
    gang out;
    for (const rank_pod& pod : pods_->by_index(by_owner_, job.metadata.uid)) out.push_back(read(pod));
    return out;
}

awaitable<result<gang>> observation::asked(training_job job, std::stop_token stop) const {
    list_options which;
    which.in_namespace(job.metadata.namespace_);
    which.label_selector(job_label + ("=" + job.metadata.name.str())).stop(std::move(stop));
    const auto pods = co_await manager_->get_client().live().list<rank_pod>(which);
    if (!pods) co_return pods.error();
    gang out;
    for (const auto& pod : *pods) {
        if (is_controlled_by(pod->metadata, job.metadata)) out.push_back(read(*pod));
    }
    co_return out;
}

std::vector<namespaced_name> observation::jobs_on(std::string_view node) const {
    std::vector<namespaced_name> out;
    for (const rank_pod& pod : pods_->by_index(by_node_, node)) {
        const auto* owner = controller_of(pod.metadata);
        if (owner != nullptr && owner->kind == "TrainingJob") out.emplace_back(pod.metadata.namespace_, owner->name);
    }
    return out;
}

awaitable<void> observation::seen(object_meta written, std::stop_token stop) const {
    const auto deadline = manager_->env().now() + std::chrono::seconds(5);
    const auto came = co_await jobs_->at_least(written, std::move(stop), deadline);
    static_cast<void>(came);  // the next write meets a conflict then
}

}  // namespace training_operator

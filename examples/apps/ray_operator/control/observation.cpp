#include "control/observation.hpp"

#include <kcontrol/controllerutil/owner.hpp>

#include "api/names.hpp"
#include "api/validation.hpp"
#include "pods/services.hpp"

#include <algorithm>

namespace ray_operator {
namespace {

const ray_pod& object_of(const ray_pod& found) { return found; }
const ray_pod& object_of(const std::shared_ptr<const ray_pod>& found) { return *found; }

bool uses_gpus(const ray_cluster_spec& spec) {
    const auto has = [](const pod_template& t) {
        return std::ranges::any_of(t.spec.containers, [](const api::core::v1::container& c) {
            return std::ranges::any_of(c.resources.limits, [](const auto& e) { return is_gpu(e.first); });
        });
    };
    return has(spec.head_group_spec.template_) ||
           std::ranges::any_of(spec.worker_group_specs, [&](const auto& g) { return has(g.template_); });
}

}  // namespace

manager_options watched(const std::string& only_label) {
    const auto of = [](const std::string& selector) { return informer_options().label_selector(selector); };
    auto out = cache_options().for_kind<ray_pod>(of(cluster_label));
    out.for_kind<head_service>(of(std::string(node_type_label) + "=head"));
    out.for_kind<batch_job>(of(std::string(created_by_label) + "=" + component_name));
    if (!only_label.empty()) out.for_kind<ray_cluster>(of(only_label)).for_kind<ray_job>(of(only_label));
    return manager_options().cache(out);
}

observation::observation(manager& m)
    : clusters_(m.get_informer<ray_cluster>()),
      pods_(m.get_informer<ray_pod>()),
      services_(m.get_informer<head_service>()),
      jobs_(m.get_informer<batch_job>()),
      nodes_(m.get_informer<ray_node>()),
      env_(&m.env()) {}

result<observation> observation::of(manager& m) {
    observation out(m);
    auto by_cluster = out.pods_->add_index("cluster", index_by_label(cluster_label));
    if (!by_cluster) return by_cluster.error();
    auto by_node = out.pods_->add_index("node", index_by_field(&ray_pod::spec, &ray_pod_spec::node_name));
    if (!by_node) return by_node.error();
    out.by_cluster_ = *by_cluster;
    out.by_node_ = *by_node;
    return out;
}

template <class Pods>
cluster_facts observation::read(const ray_cluster& c, const Pods& pods, const nodes_by_name* asked) const {
    cluster_facts out;
    const std::string& ns = c.metadata.namespace_.str();
    for (const auto& each : pods) {
        const ray_pod& pod = object_of(each);
        if (!is_controlled_by(pod.metadata, c.metadata)) continue;
        auto node = nodes_->get({"", pod.spec.node_name});
        if (asked != nullptr) {
            const auto found = asked->find(pod.spec.node_name);
            if (found != asked->end()) node = found->second;
        }
        out.pods.push_back(read_pod(pod, node.get()));
    }
    std::ranges::sort(out.pods, {}, &pod_fact::name);
    const auto service = services_->get({ns, head_service_name(c)});
    if (service && is_controlled_by(service->metadata, c.metadata)) out.head_service = read_service(*service);
    const auto cleanup = jobs_->get({ns, redis_cleanup_name(c)});
    if (cleanup && is_controlled_by(cleanup->metadata, c.metadata)) out.cleanup = read_job(*cleanup);
    if (uses_gpus(c.spec)) out.nodes = nodes_->list();
    for (const auto& group : c.spec.worker_group_specs) {
        for (const text& name : group.scale_strategy->workers_to_delete) {
            const auto pod = pods_->get({ns, name});
            if (pod && !is_controlled_by(pod->metadata, c.metadata)) out.foreign.insert(name);
        }
    }
    return out;
}

cluster_facts observation::cached(const ray_cluster& cluster) const {
    return read(cluster, pods_->by_index(by_cluster_, cluster.metadata.name), nullptr);
}

awaitable<result<cluster_facts>> observation::asked(client server, ray_cluster cluster, std::stop_token stop) const {
    server = server.live();
    list_options which;
    which.in_namespace(cluster.metadata.namespace_).stop(stop);
    which.label_selector(cluster_label + ("=" + cluster.metadata.name.str()));
    const auto pods = co_await server.list<ray_pod>(which);
    if (!pods) co_return pods.error();
    // Of nodes that are lost, by the cache.
    nodes_by_name nodes;
    for (const auto& pod : *pods) {
        const text& name = pod->spec.node_name;
        const namespaced_name key("", name);
        const auto known = nodes_->get(key);
        if (name.empty() || nodes.contains(name) || (known && !unready_since(*known))) continue;
        get_options how;
        how.stop(stop);
        const auto node = co_await server.get<ray_node>(key, how);
        if (!node && node.error() != api_errc::not_found) co_return node.error();
        nodes[name] = node ? std::make_shared<const ray_node>(*node) : nullptr;
    }
    co_return read(cluster, *pods, &nodes);
}

job_facts observation::cached(const ray_job& job) const {
    job_facts out;
    const std::string ns = job.metadata.namespace_;
    if (!job.status.ray_cluster_name.empty()) out.cluster = clusters_->get({ns, job.status.ray_cluster_name});
    const bool selects = !job.spec.cluster_selector.empty();
    if (out.cluster && !selects && !is_controlled_by(out.cluster->metadata, job.metadata)) out.cluster = nullptr;
    const auto submitter = jobs_->get({ns, job.metadata.name});
    if (!submitter || !is_controlled_by(submitter->metadata, job.metadata)) return out;
    out.submitter = read_job(*submitter);
    return out;
}

std::shared_ptr<const head_service> observation::service_of(const ray_job& job) const {
    return services_->get({job.metadata.namespace_, job.metadata.name + "-head-svc"});
}

std::vector<namespaced_name> observation::clusters_on(std::string_view node) const {
    std::vector<namespaced_name> out;
    for (const ray_pod& pod : pods_->by_index(by_node_, node)) {
        out.emplace_back(pod.metadata.namespace_, pod.metadata.labels.at(cluster_label).str());
    }
    return out;
}

}  // namespace ray_operator

#include <kcontrol/controller/builder.hpp>

#include "api/names.hpp"
#include "control/job_control.hpp"

namespace ray_operator {
namespace {

// Nodes tell that they are alive every few minutes; what matters is whether they became ready, or ceased to be.
bool became_ready_or_not(const kcontrol::event<ray_node>& e) {
    if (!e.old_object || !e.new_object) return true;
    return unready_since(*e.old_object) != unready_since(*e.new_object);
}

metric_labels labels_of(const object_meta& of) {
    return {{"name", of.name}, {"namespace", of.namespace_}, {"uid", of.uid}};
}
metric_labels with(metric_labels labels, const char* name, std::string value) {
    labels[name] = std::move(value);
    return labels;
}
double seconds_between(const timestamp& from, const timestamp& to) {
    return std::chrono::duration<double>(to.value() - from.value()).count();
}

void write_cluster(const ray_cluster& c, metrics_writer& out) {
    const auto labels = labels_of(c.metadata);
    const text* origin = c.metadata.labels.get(origin_kind_label);
    out.gauge("kuberay_cluster_info", "Metadata information about RayCluster custom resources",
              with(labels, "owner_kind", origin == nullptr ? "None" : origin->str()), 1);
    const auto* provisioned = find_condition(c.status.conditions, "RayClusterProvisioned");
    const bool holds = provisioned != nullptr && provisioned->status == "True";
    out.gauge("kuberay_cluster_condition_provisioned", "Indicates whether the RayCluster is provisioned",
              with(labels, "condition", holds ? "true" : "false"), 1);
    if (holds)
        out.gauge("kuberay_cluster_provisioned_duration_seconds",
                  "The time, in seconds, from the creation of a RayCluster until it was provisioned", labels,
                  seconds_between(c.metadata.creation_timestamp, provisioned->last_transition_time));
}

void write_job(const ray_job& job, metrics_writer& out) {
    const auto labels = labels_of(job.metadata);
    const auto& s = job.status;
    out.gauge("kuberay_job_info", "Metadata information about RayJob custom resources", labels, 1);
    out.gauge("kuberay_job_deployment_status", "The RayJob's current deployment status",
              with(labels, "deployment_status", s.job_deployment_status), 1);
    if (!s.end_time) return;
    const auto retries = s.failed.value_or(0) - (s.job_deployment_status == "Failed" ? 1 : 0);
    out.gauge(
        "kuberay_job_execution_duration_seconds",
        "The time, in seconds, from the start of a RayJob's last attempt until it ended",
        with(with(labels, "job_deployment_status", s.job_deployment_status), "retry_count", std::to_string(retries)),
        seconds_between(s.start_time, s.end_time));
}

}  // namespace

result<void> set_up(manager& m, dashboard_factory dashboards, std::size_t concurrency) {
    auto observed = observation::of(m);
    if (!observed) return observed.error();
    const auto clusters = std::make_shared<cluster_control>(m, *observed);
    const auto reconcile_cluster = [clusters](reconcile_context ctx, std::shared_ptr<const ray_cluster> c) {
        return clusters->reconcile(std::move(ctx), *c);
    };
    const auto on_node = [observed = *observed](const ray_node& node) {
        return observed.clusters_on(node.metadata.name);
    };
    controller_options options;
    options.max_concurrent_reconciles(concurrency).read_own_writes(std::chrono::seconds(5));
    auto made = controller_builder(m, "raycluster")
                    .for_<ray_cluster>()
                    .owns<ray_pod>()
                    .owns<head_service>()
                    .owns<batch_job>()
                    .watches<ray_node>(on_node, became_ready_or_not)
                    .with_options(options)
                    .complete(reconcile_cluster);
    if (!made) return made.error();
    const auto jobs = std::make_shared<job_control>(m, *observed, std::move(dashboards));
    const auto reconcile_job = [jobs](reconcile_context ctx, std::shared_ptr<const ray_job> job) {
        return jobs->reconcile(std::move(ctx), *job);
    };
    // The cluster that a job selects is another one's.
    const auto all = m.get_informer<ray_job>();
    const auto on_cluster = [all](const ray_cluster& c) {
        std::vector<namespaced_name> out;
        for (const auto& job : all->list(c.metadata.namespace_)) {
            if (job->status.ray_cluster_name == c.metadata.name) out.push_back(key_of(job->metadata));
        }
        return out;
    };
    made = controller_builder(m, "rayjob")
               .for_<ray_job>()
               .watches<ray_cluster>(on_cluster)
               .owns<head_service>()
               .owns<batch_job>()
               .with_options(options)
               .complete(reconcile_job);
    if (!made) return made.error();
    // Those of a follower as well: it watches, too.
    m.metrics().collect([all, clusters = m.get_informer<ray_cluster>()](metrics_writer& out) {
        for (const auto& each : clusters->list()) write_cluster(*each, out);
        for (const auto& each : all->list()) write_job(*each, out);
    });
    return {};
}

}  // namespace ray_operator

#include "api/validation.hpp"

#include <kcontrol/documents/yaml.hpp>
#include <kcontrol/model/names.hpp>
#include <kcontrol/values/quantity.hpp>

#include "api/names.hpp"

#include <charconv>
#include <set>

namespace ray_operator {
namespace {

using namespace api::core::v1;
using verdict = std::optional<invalid_spec>;

bool has_variable(const container& in, std::string_view name) {
    return std::ranges::any_of(in.env, [&](const env_var& v) { return v.name == name; });
}
bool is_set(const dict<text>& in, std::string_view key) {
    const text* found = in.get(key);
    return found != nullptr && !found->empty();
}
std::string quoted(std::string_view s) { return "\"" + std::string(s) + "\""; }

verdict check_gpus(const container& c, const std::string& at) {
    std::set<std::string> names;
    for (const auto* amounts : {&c.resources.limits, &c.resources.requests}) {
        for (const auto& [name, amount] : *amounts) {
            const std::string field = at + ".resources[" + name.str() + "]";
            const auto parsed = quantity::parse(amount);
            if (!parsed) return invalid_spec(field, quoted(amount), "write a quantity, such as \"2\"");
            if (parsed->sign() < 0) return invalid_spec(field, quoted(amount), "give 0 or more");
            if (!is_gpu(name)) continue;
            names.insert(name);
            if (!parsed->as_int64()) return invalid_spec(field, quoted(amount), "give a whole number of GPUs");
        }
    }
    for (const std::string& name : names) {
        const auto* limit = c.resources.limits.get(name);
        const auto* request = c.resources.requests.get(name);
        const std::string values = "limit " + (limit == nullptr ? "none" : limit->str()) + ", request " +
                                   (request == nullptr ? "none" : request->str());
        if (limit == nullptr || (request != nullptr && *quantity::parse(*limit) != *quantity::parse(*request)))
            return invalid_spec(at + ".resources[" + name + "]", values, "make the request equal to the limit");
    }
    return std::nullopt;
}

// num-gpus of the start command, beside the limits of the Ray container.
verdict check_num_gpus(const dict<text>& params, const container& ray, const std::string& at) {
    const text* wanted = params.get("num-gpus");
    std::int64_t have = 0, asked = 0;
    bool limited = false;
    for (const auto& [name, amount] : ray.resources.limits) {
        if (is_gpu(name)) have += quantity::parse(amount)->value(), limited = true;
    }
    if (wanted == nullptr || !limited) return std::nullopt;
    const std::string_view digits = *wanted;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), asked);
    if (problem != std::errc() || end != digits.data() + digits.size()) return std::nullopt;  // a variable, say
    if (asked < 0 || asked > have)
        return invalid_spec(at + ".rayStartParams[num-gpus]", *wanted,
                            "give at most the limit of the container, " + std::to_string(have));
    return std::nullopt;
}

template <class Group>
verdict check_group(const Group& group, const std::string& at) {
    const auto& containers = group.template_.spec.containers;
    if (containers.empty())
        return invalid_spec(at + ".template.spec.containers", "none", "give at least the container of Ray");
    const auto& params = group.ray_start_params;
    for (const char* key : {"num-cpus", "num-gpus", "memory", "resources"}) {
        if (is_set(params, key) && !group.resources.empty())
            return invalid_spec(at + ".rayStartParams[" + key + "]", *params.get(key),
                                "leave it out, or leave out " + at + ".resources");
    }
    if (const text* labels = params.get("labels"))
        return invalid_spec(at + ".rayStartParams[labels]", quoted(*labels), "use " + at + ".labels");
    for (const auto& [key, value] : group.labels) {
        const auto bad_key = check_label_key(key), bad_value = check_label_value(value);
        if (!bad_key.empty()) return invalid_spec(at + ".labels", quoted(key), join_problems(bad_key));
        if (!bad_value.empty())
            return invalid_spec(at + ".labels[" + key.str() + "]", quoted(value), join_problems(bad_value));
    }
    for (std::size_t i = 0; i < containers.size(); ++i) {
        const std::string place = at + ".template.spec.containers[" + std::to_string(i) + "]";
        if (auto bad = check_gpus(containers[i], place)) return bad;
    }
    return check_num_gpus(params, containers[0], at);
}

verdict check_numbers(const worker_group_spec& group, const std::string& at) {
    for (const auto& [name, number] :
         {std::pair("replicas", group.replicas), std::pair("minReplicas", group.min_replicas),
          std::pair("maxReplicas", group.max_replicas), std::pair("numOfHosts", group.num_of_hosts)}) {
        if (number.value_or(0) < 0) return invalid_spec(at + "." + name, std::to_string(*number), "give 0 or more");
    }
    if (group.max_replicas && group.min_replicas.value_or(0) > *group.max_replicas)
        return invalid_spec(at + ".minReplicas", std::to_string(*group.min_replicas),
                            "give at most maxReplicas, " + std::to_string(*group.max_replicas));
    return std::nullopt;
}

verdict check_workers(const ray_cluster_spec& spec) {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < spec.worker_group_specs.size(); ++i) {
        const worker_group_spec& group = spec.worker_group_specs[i];
        const std::string at = "spec.workerGroupSpecs[" + std::to_string(i) + "]";
        if (auto bad = check_group(group, at)) return bad;
        const auto bad_name = check_label_value(group.group_name);
        if (group.group_name.empty() || !bad_name.empty())
            return invalid_spec(at + ".groupName", quoted(group.group_name),
                                bad_name.empty() ? "give a name" : join_problems(bad_name));
        if (group.group_name == head_group || !names.insert(group.group_name.view()).second)
            return invalid_spec(at + ".groupName", quoted(group.group_name), "give each group a name of its own");
        if (auto bad = check_numbers(group, at)) return bad;
        if (group.suspend.value_or(false) && is_autoscaling(spec))
            return invalid_spec(at + ".suspend", "true", "turn enableInTreeAutoscaling off, or leave suspend out");
    }
    return std::nullopt;
}

verdict check_fault_tolerance(const ray_cluster_spec& spec, const dict<text>& annotations) {
    const container& head = spec.head_group_spec.template_.spec.containers[0];
    const auto& params = spec.head_group_spec.ray_start_params;
    const std::string at = "spec.headGroupSpec", env = at + ".template.spec.containers[0].env";
    const std::string options = "spec.gcsFaultToleranceOptions";
    if (is_set(annotations, fault_tolerance_annotation) && spec.gcs_fault_tolerance_options)
        return invalid_spec("metadata.annotations[ray.io/ft-enabled]", *annotations.get(fault_tolerance_annotation),
                            "use " + options + " alone");
    const bool enabled = says_true(annotations, fault_tolerance_annotation) || spec.gcs_fault_tolerance_options;
    if (!enabled && has_variable(head, "RAY_REDIS_ADDRESS"))
        return invalid_spec(env, "RAY_REDIS_ADDRESS", "use " + options + ".redisAddress");
    if (spec.gcs_fault_tolerance_options) {
        if (is_set(params, "redis-password"))
            return invalid_spec(at + ".rayStartParams[redis-password]", "set", "use " + options + ".redisPassword");
        for (const auto& [name, field] :
             {std::pair("REDIS_PASSWORD", ".redisPassword"), std::pair("RAY_REDIS_ADDRESS", ".redisAddress")}) {
            if (has_variable(head, name)) return invalid_spec(env, name, "use " + (options + field));
        }
        if (is_set(annotations, storage_namespace_annotation))
            return invalid_spec("metadata.annotations[ray.io/external-storage-namespace]",
                                *annotations.get(storage_namespace_annotation),
                                "use " + options + ".externalStorageNamespace");
    }
    if (is_set(params, "redis-username") || has_variable(head, "REDIS_USERNAME"))
        return invalid_spec(at, "a user of Redis", "use " + options + ".redisUsername");
    return std::nullopt;
}

verdict check_autoscaler(const ray_cluster_spec& spec) {
    const pod_spec& head = spec.head_group_spec.template_.spec;
    const std::string env = "spec.headGroupSpec.template.spec.containers[0].env[RAY_enable_autoscaler_v2]";
    const auto& version = spec.autoscaler_options->version;
    for (const env_var& each : head.containers[0].env) {
        if (each.name != "RAY_enable_autoscaler_v2") continue;
        if (!is_autoscaling(spec) && (each.value == "1" || each.value == "true"))
            return invalid_spec(env, each.value, "set enableInTreeAutoscaling, or leave it out");
        if (is_autoscaling(spec) && !version.empty())
            return invalid_spec(env, each.value, "use spec.autoscalerOptions.version alone");
    }
    if (!is_autoscaling(spec) || version != "v2") return std::nullopt;
    const auto refused = [](const pod_spec& pod, const std::string& at) -> verdict {
        if (pod.restart_policy.empty() || pod.restart_policy == "Never") return std::nullopt;
        return invalid_spec(at + ".template.spec.restartPolicy", pod.restart_policy,
                            "leave it out: autoscaler v2 needs Never");
    };
    if (auto bad = refused(head, "spec.headGroupSpec")) return bad;
    for (std::size_t i = 0; i < spec.worker_group_specs.size(); ++i) {
        const auto at = "spec.workerGroupSpecs[" + std::to_string(i) + "]";
        if (auto bad = refused(spec.worker_group_specs[i].template_.spec, at)) return bad;
    }
    return std::nullopt;
}

verdict check_cluster_spec(const ray_cluster_spec& spec, const dict<text>& annotations) {
    if (auto bad = check_group(spec.head_group_spec, "spec.headGroupSpec")) return bad;
    if (auto bad = check_workers(spec)) return bad;
    if (auto bad = check_fault_tolerance(spec, annotations)) return bad;
    const text& upgrade = spec.upgrade_strategy->type;
    if (!upgrade.empty() && upgrade != "Recreate" && upgrade != "None")
        return invalid_spec("spec.upgradeStrategy.type", quoted(upgrade), "give Recreate or None");
    return check_autoscaler(spec);
}

verdict check_name(const object_meta& metadata, std::size_t most) {
    const auto bad = check_dns1035_label(metadata.name);
    if (!bad.empty()) return invalid_spec("metadata.name", quoted(metadata.name), join_problems(bad));
    if (metadata.name.size() > most)
        return invalid_spec("metadata.name", quoted(metadata.name),
                            "give at most " + std::to_string(most) + " characters");
    return std::nullopt;
}

int weight(const text& policy) {
    return policy == "DeleteWorkers" ? 1 : policy == "DeleteCluster" ? 2 : policy == "DeleteSelf" ? 3 : 0;
}

verdict check_rule(const ray_job& job, const deletion_rule& rule, const ray_cluster_spec* cluster,
                   const std::string& at) {
    if (weight(rule.policy) == 0 && rule.policy != "DeleteNone")
        return invalid_spec(at + ".policy", quoted(rule.policy),
                            "give DeleteCluster, DeleteWorkers, DeleteSelf or DeleteNone");
    if (rule.condition.ttl_seconds < 0)
        return invalid_spec(at + ".condition.ttlSeconds", std::to_string(rule.condition.ttl_seconds), "give 0 or more");
    const bool of_cluster = weight(rule.policy) == 1 || weight(rule.policy) == 2;
    if (of_cluster && !job.spec.cluster_selector.empty())
        return invalid_spec(at + ".policy", rule.policy,
                            "leave it out: the cluster of clusterSelector is not the job's");
    if (weight(rule.policy) == 1 && cluster != nullptr && is_autoscaling(*cluster))
        return invalid_spec(at + ".policy", rule.policy, "turn enableInTreeAutoscaling off");
    return std::nullopt;
}

verdict check_deletion(const ray_job& job, const ray_cluster_spec* cluster) {
    const auto& spec = job.spec;
    if (!spec.shutdown_after_job_finishes && spec.ttl_seconds_after_finished > 0)
        return invalid_spec("spec.ttlSecondsAfterFinished", std::to_string(spec.ttl_seconds_after_finished),
                            "set shutdownAfterJobFinishes");
    if (!spec.deletion_strategy) return std::nullopt;
    const deletion_strategy& how = *spec.deletion_strategy;
    const std::string at = "spec.deletionStrategy";
    const bool legacy = how.on_success || how.on_failure, rules = !how.deletion_rules.empty();
    if (rules == legacy || (legacy && !(how.on_success && how.on_failure)))
        return invalid_spec(at, rules ? "both styles" : "incomplete", "give deletionRules, or onSuccess and onFailure");
    if (rules && spec.shutdown_after_job_finishes)
        return invalid_spec("spec.shutdownAfterJobFinishes", "true", "leave it out beside deletionRules");
    for (const auto& [rule, name] :
         {std::pair(&how.on_success, ".onSuccess"), std::pair(&how.on_failure, ".onFailure")}) {
        if (!legacy) break;
        if (auto bad = check_rule(job, **rule, cluster, at + name)) return bad;
        if (spec.shutdown_after_job_finishes && (*rule)->policy == "DeleteNone")
            return invalid_spec(at + name + ".policy", "DeleteNone", "turn shutdownAfterJobFinishes off");
    }
    for (std::size_t i = 0; i < how.deletion_rules.size(); ++i) {
        const deletion_rule& rule = how.deletion_rules[i];
        const std::string place = at + ".deletionRules[" + std::to_string(i) + "]";
        if (auto bad = check_rule(job, rule, cluster, place)) return bad;
        for (std::size_t k = 0; k < how.deletion_rules.size(); ++k) {
            const deletion_rule& other = how.deletion_rules[k];
            if (k == i || other.condition.job_status != rule.condition.job_status) continue;
            if (k < i && other.policy == rule.policy)
                return invalid_spec(place + ".policy", rule.policy, "give each policy once for a jobStatus");
            if (weight(rule.policy) == 0 || weight(rule.policy) >= weight(other.policy)) continue;
            if (rule.condition.ttl_seconds > other.condition.ttl_seconds)
                return invalid_spec(place + ".condition.ttlSeconds", std::to_string(rule.condition.ttl_seconds),
                                    "give at most that of " + other.policy.str());
        }
    }
    return std::nullopt;
}

}  // namespace

bool is_gpu(std::string_view resource) {
    if (resource.ends_with("gpu")) return true;
    const std::string_view mig = "nvidia.com/mig-";
    if (!resource.starts_with(mig) || !resource.ends_with("gb")) return false;
    resource = resource.substr(mig.size(), resource.size() - mig.size() - 2);
    const auto dot = resource.find("g.");
    const auto digits = [](std::string_view s) {
        return !s.empty() && s.find_first_not_of("0123456789") == std::string_view::npos;
    };
    return dot != std::string_view::npos && digits(resource.substr(0, dot)) && digits(resource.substr(dot + 2));
}

verdict check(const ray_cluster& cluster) {
    if (auto bad = check_name(cluster.metadata, 53)) return bad;
    return check_cluster_spec(cluster.spec, cluster.metadata.annotations);
}

verdict check(const ray_job& job, const ray_cluster_spec* cluster) {
    const auto& spec = job.spec;
    if (auto bad = check_name(job.metadata, 47)) return bad;
    const text& mode = spec.submission_mode;
    if (!mode.empty() && mode != "K8sJobMode" && mode != "HTTPMode")
        return invalid_spec("spec.submissionMode", quoted(mode), "give K8sJobMode or HTTPMode: others are not built");
    const bool selects = !spec.cluster_selector.empty();
    if (spec.suspend && (!spec.shutdown_after_job_finishes || selects))
        return invalid_spec("spec.suspend", "true", "set shutdownAfterJobFinishes, and leave clusterSelector out");
    if (spec.ttl_seconds_after_finished < 0)
        return invalid_spec("spec.ttlSecondsAfterFinished", std::to_string(spec.ttl_seconds_after_finished),
                            "give 0 or more");
    if (auto bad = check_deletion(job, cluster)) return bad;
    if (!selects && spec.ray_cluster_spec.empty())
        return invalid_spec("spec.rayClusterSpec", "none", "give it, or clusterSelector");
    if (selects && !is_set(spec.cluster_selector, cluster_label))
        return invalid_spec("spec.clusterSelector[ray.io/cluster]", "none", "name the RayCluster");
    if (!spec.ray_cluster_spec.empty() && cluster == nullptr)
        return invalid_spec("spec.rayClusterSpec", "it does not decode", "give the specification of a RayCluster");
    if (cluster != nullptr) {
        auto bad = check_cluster_spec(*cluster, job.metadata.annotations);
        if (bad && bad->field.starts_with("spec.")) bad->field.insert(5, "rayClusterSpec.");
        if (bad) return bad;
    }
    if (!spec.runtime_env_yaml.empty()) {
        const auto read = json::parse_yaml(spec.runtime_env_yaml);
        if (!read || read->size() != 1 || !read->front().is_object())
            return invalid_spec("spec.runtimeEnvYAML", read ? "no map" : read.error().what(), "write a map in YAML");
    }
    if (spec.submitter_pod_template && spec.submitter_pod_template->spec.containers.empty())
        return invalid_spec("spec.submitterPodTemplate.spec.containers", "none", "give the container that submits");
    if (!spec.entrypoint_resources.empty()) {
        const auto read = json::parse(spec.entrypoint_resources);
        if (!read || !read->is_object())
            return invalid_spec("spec.entrypointResources", quoted(spec.entrypoint_resources), "write a JSON object");
    }
    if (spec.active_deadline_seconds.value_or(1) <= 0)
        return invalid_spec("spec.activeDeadlineSeconds", std::to_string(*spec.active_deadline_seconds),
                            "give 1 or more");
    if (spec.backoff_limit.value_or(0) < 0)
        return invalid_spec("spec.backoffLimit", std::to_string(*spec.backoff_limit), "give 0 or more");
    return std::nullopt;
}

}  // namespace ray_operator

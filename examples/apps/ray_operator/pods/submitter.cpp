#include "pods/submitter.hpp"

#include <kcontrol/documents/yaml.hpp>

#include "api/names.hpp"
#include "pods/ray_pod.hpp"

#include <array>
#include <cstdio>
#include <map>

namespace ray_operator {
namespace {

using namespace api::core::v1;

// As a string of Go, which bash reads back in double quotes but for `$` and backquotes.
std::string in_quotes(std::string_view s) {
    std::string out = "\"";
    for (const char c : s) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n') {
            out += "\\n";
        } else {
            out += c;
        }
    }
    return out + "\"";
}
std::string trimmed(std::string_view s) {
    const auto first = s.find_first_not_of(" \t\n\r"), last = s.find_last_not_of(" \t\n\r");
    return first == s.npos ? std::string() : std::string(s.substr(first, last - first + 1));
}
std::string six_digits(double number) {
    std::array<char, 64> out{};
    const int size = std::snprintf(out.data(), out.size(), "%f", number);
    return {out.data(), static_cast<std::size_t>(std::min(size, 63))};
}
json::object object_of(const dict<text>& from) {
    json::object out;
    for (const auto& [key, value] : from) out[key.view()] = value.str();
    return out;
}
// By the names of members, so that whoever reads the same YAML writes the same JSON.
json::value sorted(const json::value& from) {
    if (!from.is_object()) return from;
    std::map<std::string, json::value> members;
    for (const auto& [name, value] : from.as_object()) members[std::string(name)] = sorted(value);
    json::object out;
    for (auto& [name, value] : members) out[name] = std::move(value);
    return out;
}
// Checked by check(): one map.
json::value runtime_env(const ray_job& job) { return sorted(json::parse_yaml(job.spec.runtime_env_yaml)->front()); }
// 2.6.0 is the first Ray that takes metadata.
bool takes_metadata(std::string_view version) {
    int major = 0, minor = 0;
    if (std::sscanf(std::string(version).c_str(), "%d.%d", &major, &minor) < 2) return false;
    return major > 2 || (major == 2 && minor >= 6);
}

}  // namespace

std::string submit_command(const ray_job& job, std::string_view ray_version) {
    std::string address = job.status.dashboard_url;
    if (!address.starts_with("http://")) address.insert(0, "http://");
    const std::string id = job.status.job_id, at = " --address " + address + " ";
    std::string out = "if ! ray job status" + at + id + " >/dev/null 2>&1 ; then ray job submit" + at + "--no-wait";
    if (!job.spec.runtime_env_yaml.empty())
        out += " --runtime-env-json " + in_quotes(json::serialize(runtime_env(job)));
    if (!job.spec.metadata.empty() && takes_metadata(ray_version))
        out += " --metadata-json " + in_quotes(json::serialize(object_of(job.spec.metadata)));
    out += " --submission-id " + id;
    if (job.spec.entrypoint_num_cpus > 0) out += " --entrypoint-num-cpus " + six_digits(job.spec.entrypoint_num_cpus);
    if (job.spec.entrypoint_num_gpus > 0) out += " --entrypoint-num-gpus " + six_digits(job.spec.entrypoint_num_gpus);
    if (!job.spec.entrypoint_resources.empty())
        out += " --entrypoint-resources " + in_quotes(job.spec.entrypoint_resources);
    return out + " -- " + trimmed(job.spec.entrypoint) + " ; fi ; ray job logs" + at + "--follow " + id;
}

api::batch::v1::job make_submitter(const ray_job& job, const ray_cluster_spec& cluster, std::string_view ray_version) {
    api::batch::v1::job out;
    out.metadata.name = job.metadata.name;
    out.metadata.namespace_ = job.metadata.namespace_;
    out.metadata.labels = {
        {origin_name_label, job.metadata.name}, {origin_kind_label, "RayJob"}, {created_by_label, component_name}};
    out.spec.backoff_limit = job.spec.submitter_config->backoff_limit.value_or(2);
    if (job.spec.submitter_pod_template) {
        out.spec.template_ = *job.spec.submitter_pod_template;
    } else {
        out.spec.template_.spec.restart_policy = "Never";
        container& own = out.spec.template_.spec.containers.emplace_back();
        own.name = "ray-job-submitter";
        own.image = cluster.head_group_spec.template_.spec.containers[0].image;
        own.resources.limits = {{"cpu", quantity_text("1")}, {"memory", quantity_text("1Gi")}};
        own.resources.requests = {{"cpu", quantity_text("500m")}, {"memory", quantity_text("200Mi")}};
    }
    container& submits = out.spec.template_.spec.containers[0];
    if (submits.command.empty()) {
        submits.command = shell_command("-ce");
        submits.args = {text(submit_command(job, ray_version))};
    }
    for (const auto& [name, value] :
         {std::pair("PYTHONUNBUFFERED", text("1")), std::pair("RAY_DASHBOARD_ADDRESS", job.status.dashboard_url),
          std::pair("RAY_JOB_SUBMISSION_ID", job.status.job_id)}) {
        auto& added = submits.env.emplace_back();
        added.name = name;
        added.value = value;
    }
    return out;
}

std::string submit_request(const ray_job& job) {
    json::object out{{"entrypoint", job.spec.entrypoint.str()}, {"submission_id", job.status.job_id.str()}};
    if (!job.spec.runtime_env_yaml.empty()) out["runtime_env"] = runtime_env(job);
    if (!job.spec.metadata.empty()) out["metadata"] = object_of(job.spec.metadata);
    if (job.spec.entrypoint_num_cpus > 0) out["entrypoint_num_cpus"] = job.spec.entrypoint_num_cpus;
    if (job.spec.entrypoint_num_gpus > 0) out["entrypoint_num_gpus"] = job.spec.entrypoint_num_gpus;
    if (!job.spec.entrypoint_resources.empty())
        out["entrypoint_resources"] = json::parse(job.spec.entrypoint_resources).value();
    return json::serialize(out);
}

}  // namespace ray_operator

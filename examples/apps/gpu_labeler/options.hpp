// What the labeler is asked to do, by its command line, its configuration file and its environment.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/logging/log_format.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/transport/listen_address.hpp>

#include "defaults.hpp"
#include "guarded_serving/access_options.hpp"
#include "labels/gpu_labels.hpp"
#include "push/push_target.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace gpu_labeler {

/// Where the labels go.
enum class label_output { node, node_feature, file, none };

/// What the program was asked to do, each as the flag of that name says it. The defaults are those of --help.
class options {
public:
    options() = default;

    options& dry_run(bool v) { return dry_run_ = v, *this; }
    options& once(bool v) { return once_ = v, *this; }
    options& cleanup(bool v) { return cleanup_ = v, *this; }
    options& help(bool v) { return help_ = v, *this; }
    options& version(bool v) { return version_ = v, *this; }
    options& config_file(std::string v) { return config_file_ = std::move(v), *this; }
    options& schedule(std::string v) { return schedule_ = std::move(v), *this; }
    options& sample_interval(kcontrol::duration v) { return sample_interval_ = v, *this; }
    options& start_jitter(kcontrol::duration v) { return start_jitter_ = v, *this; }
    options& resync_interval(kcontrol::duration v) { return resync_interval_ = v, *this; }
    options& keep_labels(kcontrol::duration v) { return keep_labels_ = v, *this; }
    options& strategy(mig_strategy v) { return strategy_ = v, *this; }
    options& shared(sharing v) { return shared_ = std::move(v), *this; }
    options& no_timestamp(bool v) { return no_timestamp_ = v, *this; }
    options& output(label_output v) { return output_ = v, *this; }
    options& features_file(std::string v) { return features_file_ = std::move(v), *this; }
    options& node_name(std::string v) { return node_name_ = std::move(v), *this; }
    options& in_namespace(std::string v) { return namespace_ = std::move(v), *this; }
    options& kubeconfig(std::string v) { return kubeconfig_ = std::move(v), *this; }
    options& context(std::string v) { return context_ = std::move(v), *this; }
    options& listen(kcontrol::http::listen_address v) { return listen_ = std::move(v), *this; }
    options& health_probe_bind_address(kcontrol::http::listen_address v) {
        return health_probe_bind_address_ = std::move(v), *this;
    }
    options& max_connections(std::size_t v) { return max_connections_ = v, *this; }
    /// Who may read at listen(); the probes of health_probe_bind_address() are for all.
    options& access(guarded_serving::access_options v) { return access_ = std::move(v), *this; }
    /// Whether a condition and a label of the Node, and Events, say how its GPUs are.
    options& report_health(bool v) { return report_health_ = v, *this; }
    /// How long a verdict stands before report_health() tells it: that nothing is known, well after that, and well
    /// after a fault.
    options& health_unknown_after(kcontrol::duration v) { return health_unknown_after_ = v, *this; }
    options& health_known_after(kcontrol::duration v) { return health_known_after_ = v, *this; }
    options& health_well_after(kcontrol::duration v) { return health_well_after_ = v, *this; }
    /// Empty: the past of the GPUs is gone after a restart.
    options& history_file(std::string v) { return history_file_ = std::move(v), *this; }
    /// Where what they measure is pushed to.
    options& push(push_options v) { return push_ = std::move(v), *this; }
    options& hostname(std::string v) { return hostname_ = std::move(v), *this; }
    options& log_format(kcontrol::log_format v) { return log_format_ = v, *this; }
    options& log_level(kcontrol::log_level v) { return log_level_ = v, *this; }
    options& nvml(std::string v) { return nvml_ = std::move(v), *this; }
    options& nvml_timeout(kcontrol::duration v) { return nvml_timeout_ = v, *this; }
    options& machine_type_file(std::string v) { return machine_type_file_ = std::move(v), *this; }
    options& sysfs(std::string v) { return sysfs_ = std::move(v), *this; }
    /// Empty: the kubelet is not asked.
    options& pod_resources_socket(std::string v) { return pod_resources_socket_ = std::move(v), *this; }
    options& annotations(bool v) { return annotations_ = v, *this; }

    bool dry_run() const noexcept { return dry_run_; }
    bool once() const noexcept { return once_; }
    bool cleanup() const noexcept { return cleanup_; }
    bool help() const noexcept { return help_; }
    bool version() const noexcept { return version_; }
    const std::string& config_file() const noexcept { return config_file_; }
    const std::string& schedule() const noexcept { return schedule_; }
    kcontrol::duration sample_interval() const noexcept { return sample_interval_; }
    kcontrol::duration start_jitter() const noexcept { return start_jitter_; }
    kcontrol::duration resync_interval() const noexcept { return resync_interval_; }
    kcontrol::duration keep_labels() const noexcept { return keep_labels_; }
    mig_strategy strategy() const noexcept { return strategy_; }
    const sharing& shared() const noexcept { return shared_; }
    bool no_timestamp() const noexcept { return no_timestamp_; }
    label_output output() const noexcept { return output_; }
    const std::string& features_file() const noexcept { return features_file_; }
    const std::string& node_name() const noexcept { return node_name_; }
    const std::string& in_namespace() const noexcept { return namespace_; }
    const std::string& kubeconfig() const noexcept { return kubeconfig_; }
    const std::string& context() const noexcept { return context_; }
    const kcontrol::http::listen_address& listen() const noexcept { return listen_; }
    const kcontrol::http::listen_address& health_probe_bind_address() const noexcept {
        return health_probe_bind_address_;
    }
    std::size_t max_connections() const noexcept { return max_connections_; }
    const guarded_serving::access_options& access() const noexcept { return access_; }
    bool report_health() const noexcept { return report_health_; }
    kcontrol::duration health_unknown_after() const noexcept { return health_unknown_after_; }
    kcontrol::duration health_known_after() const noexcept { return health_known_after_; }
    kcontrol::duration health_well_after() const noexcept { return health_well_after_; }
    const std::string& history_file() const noexcept { return history_file_; }
    const push_options& push() const noexcept { return push_; }
    const std::string& hostname() const noexcept { return hostname_; }
    kcontrol::log_format log_format() const noexcept { return log_format_; }
    kcontrol::log_level log_level() const noexcept { return log_level_; }
    const std::string& nvml() const noexcept { return nvml_; }
    kcontrol::duration nvml_timeout() const noexcept { return nvml_timeout_; }
    const std::string& machine_type_file() const noexcept { return machine_type_file_; }
    const std::string& sysfs() const noexcept { return sysfs_; }
    const std::string& pod_resources_socket() const noexcept { return pod_resources_socket_; }
    bool annotations() const noexcept { return annotations_; }

private:
    static kcontrol::http::listen_address nowhere() {
        kcontrol::http::listen_address out;
        out.enabled = false;
        return out;
    }

    bool dry_run_ = false;
    bool once_ = false;
    bool cleanup_ = false;
    bool help_ = false;
    bool version_ = false;
    std::string config_file_;
    std::string schedule_ = "@every 60s";
    kcontrol::duration sample_interval_ = std::chrono::seconds(10);
    kcontrol::duration start_jitter_ = defaults::start_jitter;
    kcontrol::duration resync_interval_ = defaults::resync_interval;
    kcontrol::duration keep_labels_ = defaults::keep_labels;
    mig_strategy strategy_ = mig_strategy::none;
    sharing shared_;
    bool no_timestamp_ = false;
    label_output output_ = label_output::node;
    std::string features_file_ = "/etc/kubernetes/node-feature-discovery/features.d/kcontrol-gpu-labeler";
    std::string node_name_;
    std::string namespace_;
    std::string kubeconfig_;
    std::string context_;
    kcontrol::http::listen_address listen_ = nowhere();
    kcontrol::http::listen_address health_probe_bind_address_ = nowhere();
    std::size_t max_connections_ = defaults::max_connections;
    guarded_serving::access_options access_;
    bool report_health_ = false;
    kcontrol::duration health_unknown_after_ = defaults::health_unknown_after;
    kcontrol::duration health_known_after_ = defaults::health_known_after;
    kcontrol::duration health_well_after_ = defaults::health_well_after;
    std::string history_file_;
    push_options push_;
    std::string hostname_;
    kcontrol::log_format log_format_ = kcontrol::log_format::json;
    kcontrol::log_level log_level_ = kcontrol::log_level::info;
    std::string nvml_;
    kcontrol::duration nvml_timeout_ = defaults::nvml_timeout;
    std::string machine_type_file_ = "/sys/class/dmi/id/product_name";
    std::string sysfs_ = "/sys";
    std::string pod_resources_socket_ = "/var/lib/kubelet/pod-resources/kubelet.sock";
    bool annotations_ = false;
};

/// Reads the arguments without the program's name (`--flag value` and `--flag=value`), the file that --config names,
/// and NODE_NAME. What the command line says wins over the file, and that over the environment.
/// Errors: invalid_argument, naming the flag or the file's key, the value and what would be right; file_failed.
kcontrol::result<options> parse_options(const std::vector<std::string_view>& arguments, kcontrol::environment& env);

/// Sets what a flag is for that a configuration file may hold too; `name` is the flag's (`--mig-strategy`), and a flag
/// without a value takes `true` or `false`. Errors: invalid_argument.
kcontrol::result<void> set_option(options& o, std::string_view name, std::string_view value);

/// What --help prints.
std::string_view help_text() noexcept;

}  // namespace gpu_labeler

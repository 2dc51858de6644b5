// What the labeler is asked to do, by its command line, its configuration file and its environment.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/logging/log_format.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/transport/listen_address.hpp>

#include "labels/gpu_labels.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace gpu_labeler {

/// Where the labels go.
enum class label_output { node, node_feature, file, none };

/// What the program was asked to do. The defaults are those of --help.
struct options {
    bool dry_run = false;
    bool once = false;
    bool cleanup = false;
    bool help = false;
    bool version = false;
    std::string config_file;

    std::string schedule = "@every 60s";
    kcontrol::duration sample_interval = std::chrono::seconds(10);
    kcontrol::duration start_jitter = std::chrono::seconds(10);
    kcontrol::duration resync_interval = std::chrono::hours(10);
    kcontrol::duration keep_labels = std::chrono::minutes(5);

    mig_strategy strategy = mig_strategy::none;
    sharing shared;
    bool no_timestamp = false;

    label_output output = label_output::node;
    std::string features_file = "/etc/kubernetes/node-feature-discovery/features.d/kcontrol-gpu-labeler";
    std::string node_name;
    std::string namespace_;
    std::string kubeconfig;
    std::string context;

    kcontrol::http::listen_address listen = nowhere();
    std::string hostname;
    kcontrol::log_format log_format = kcontrol::log_format::json;
    kcontrol::log_level log_level = kcontrol::log_level::info;

    std::string nvml;
    kcontrol::duration nvml_timeout = std::chrono::seconds(5);
    std::string machine_type_file = "/sys/class/dmi/id/product_name";
    std::string sysfs = "/sys";
    std::string pod_resources_socket = "/var/lib/kubelet/pod-resources/kubelet.sock";  ///< empty: not asked
    bool annotations = false;

    static kcontrol::http::listen_address nowhere() {
        kcontrol::http::listen_address out;
        out.enabled = false;
        return out;
    }
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

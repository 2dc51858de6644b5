// The command line of the monitor.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/logging/log_format.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/transport/listen_address.hpp>

#include "fleet_options.hpp"
#include "guarded_serving/access_options.hpp"
#include "jobs/link_template.hpp"
#include "memory/state_options.hpp"
#include "serving_options.hpp"
#include "usage/usage_options.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor {

enum class output_format { table, wide, json, none };
using kcontrol::log_format;

/// What the program was asked to do, each as the flag of that name says it. The defaults are those of --help.
class options {
public:
    options() = default;

    options& clusters_directory(std::string v) { return clusters_directory_ = std::move(v), *this; }
    options& kubeconfig(std::string v) { return kubeconfig_ = std::move(v), *this; }
    /// Of the kubeconfig; empty: its current one.
    options& contexts(std::vector<std::string> v) { return contexts_ = std::move(v), *this; }
    /// Of the home cluster; empty: no clusters from Secrets.
    options& secrets_namespace(std::string v) { return secrets_namespace_ = std::move(v), *this; }
    /// Where the Secrets and the Leases of a shard group are. Empty: the pod's own cluster is home.
    options& home_kubeconfig(std::string v) { return home_kubeconfig_ = std::move(v), *this; }
    /// Empty: all.
    options& namespaces(std::vector<std::string> v) { return namespaces_ = std::move(v), *this; }
    options& kinds(std::vector<std::string> v) { return kinds_ = std::move(v), *this; }
    /// A file of rules for more kinds, which are watched, too; empty: none.
    options& kind_rules(std::string v) { return kind_rules_ = std::move(v), *this; }
    options& listen(kcontrol::http::listen_address v) { return listen_ = std::move(v), *this; }
    options& access(guarded_serving::access_options v) { return access_ = std::move(v), *this; }
    options& fleet(fleet_options v) { return fleet_ = std::move(v), *this; }
    options& serving(serving_options v) { return serving_ = std::move(v), *this; }
    options& state(state_options v) { return state_ = std::move(v), *this; }
    options& usage(usage_options v) { return usage_ = std::move(v), *this; }
    options& output(output_format v) { return output_ = v, *this; }
    options& log(log_format v) { return log_ = v, *this; }
    options& notify_config(std::string v) { return notify_config_ = std::move(v), *this; }
    /// Where people find the page, for links in notices; empty: there are none.
    options& external_url(std::string v) { return external_url_ = std::move(v), *this; }
    /// To other programs that know of jobs.
    options& links(std::vector<link_template> v) { return links_ = std::move(v), *this; }
    /// The receiver to test; empty: all of them; nothing: no test.
    options& test_notify(std::optional<std::string> v) { return test_notify_ = std::move(v), *this; }
    /// Whether lines of containers' logs may be asked for.
    options& logs(bool v) { return logs_ = v, *this; }
    /// Whether messages carry such lines: what a log says leaves the cluster only where somebody asked for it.
    options& logs_in_messages(bool v) { return logs_in_messages_ = v, *this; }
    /// Whether readers may say that they take care of a job; the state file keeps it.
    options& acknowledgements(bool v) { return acknowledgements_ = v, *this; }
    /// Whether jobs' objects may be asked for as YAML.
    options& yaml(bool v) { return yaml_ = v, *this; }
    options& once(bool v) { return once_ = v, *this; }
    options& demo(bool v) { return demo_ = v, *this; }
    options& version(bool v) { return version_ = v, *this; }
    options& help(bool v) { return help_ = v, *this; }
    options& help_all(bool v) { return help_all_ = v, *this; }
    /// A file with more of these; empty: none.
    options& config_file(std::string v) { return config_file_ = std::move(v), *this; }

    const std::string& clusters_directory() const noexcept { return clusters_directory_; }
    const std::string& kubeconfig() const noexcept { return kubeconfig_; }
    const std::vector<std::string>& contexts() const noexcept { return contexts_; }
    const std::string& secrets_namespace() const noexcept { return secrets_namespace_; }
    const std::string& home_kubeconfig() const noexcept { return home_kubeconfig_; }
    const std::vector<std::string>& namespaces() const noexcept { return namespaces_; }
    const std::vector<std::string>& kinds() const noexcept { return kinds_; }
    const std::string& kind_rules() const noexcept { return kind_rules_; }
    const kcontrol::http::listen_address& listen() const noexcept { return listen_; }
    const guarded_serving::access_options& access() const noexcept { return access_; }
    const fleet_options& fleet() const noexcept { return fleet_; }
    const serving_options& serving() const noexcept { return serving_; }
    const state_options& state() const noexcept { return state_; }
    const usage_options& usage() const noexcept { return usage_; }
    output_format output() const noexcept { return output_; }
    log_format log() const noexcept { return log_; }
    const std::string& notify_config() const noexcept { return notify_config_; }
    const std::string& external_url() const noexcept { return external_url_; }
    const std::vector<link_template>& links() const noexcept { return links_; }
    const std::optional<std::string>& test_notify() const noexcept { return test_notify_; }
    bool logs() const noexcept { return logs_; }
    bool logs_in_messages() const noexcept { return logs_in_messages_; }
    bool acknowledgements() const noexcept { return acknowledgements_; }
    bool yaml() const noexcept { return yaml_; }
    bool once() const noexcept { return once_; }
    bool demo() const noexcept { return demo_; }
    bool version() const noexcept { return version_; }
    bool help() const noexcept { return help_; }
    bool help_all() const noexcept { return help_all_; }
    const std::string& config_file() const noexcept { return config_file_; }

private:
    std::string clusters_directory_;
    std::string kubeconfig_;
    std::vector<std::string> contexts_;
    std::string secrets_namespace_;
    std::string home_kubeconfig_;
    std::vector<std::string> namespaces_;
    std::vector<std::string> kinds_{"PyTorchJob", "MPIJob", "TrainJob", "Job"};
    std::string kind_rules_;
    kcontrol::http::listen_address listen_{"127.0.0.1", 8080};
    guarded_serving::access_options access_;
    fleet_options fleet_;
    serving_options serving_;
    state_options state_;
    usage_options usage_;
    output_format output_ = output_format::table;
    log_format log_ = log_format::text;
    std::string notify_config_;
    std::string external_url_;
    std::vector<link_template> links_;
    std::optional<std::string> test_notify_;
    bool logs_ = true;
    bool logs_in_messages_ = false;
    bool acknowledgements_ = false;
    bool yaml_ = true;
    bool once_ = false;
    bool demo_ = false;
    bool version_ = false;
    bool help_ = false;
    bool help_all_ = false;
    std::string config_file_;
};

/// Reads the arguments without the program's name: `--flag value` and `--flag=value`. With an environment, the file
/// that
/// --config names is read first: flags without dashes in camelCase as keys of YAML, and the command line wins.
/// Errors: invalid_argument, naming the file and key or the flag, the value and what would be right.
kcontrol::result<options> parse_options(const std::vector<std::string_view>& arguments,
                                        kcontrol::environment* env = nullptr);

/// Where clusters come from, in words: "the directory /etc/clusters (--clusters)".
std::string source_text(const options& o);

/// What --help prints: the flags that most people need. What --help-all prints: all of them.
std::string_view help_text() noexcept;
std::string_view all_help_text() noexcept;

}  // namespace training_monitor

// The command line of the monitor.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/logging/log_format.hpp>
#include <kcontrol/transport/listen_address.hpp>

#include "access/access_options.hpp"
#include "memory/state_options.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor {

enum class output_format { table, wide, json, none };
using kcontrol::log_format;

/// What the program was asked to do. The defaults are those of --help.
struct options {
    std::string clusters_directory;
    std::string kubeconfig;
    std::vector<std::string> contexts;
    std::string secrets_namespace;  ///< of the home cluster; empty: no clusters from Secrets
    std::string home_kubeconfig;    ///< empty: the pod's own cluster is home
    std::vector<std::string> namespaces;
    std::vector<std::string> kinds{"PyTorchJob", "MPIJob", "TrainJob", "Job"};
    kcontrol::http::listen_address listen{"127.0.0.1", 8080};
    access_options access;
    state_options state;
    output_format output = output_format::table;
    log_format log = log_format::text;
    std::string notify_config;
    std::optional<std::string> test_notify;  ///< the receiver to test; empty: all
    bool once = false;
    bool demo = false;
    bool version = false;
    bool help = false;
};

/// Reads the arguments without the program's name: `--flag value` and `--flag=value`.
/// Errors: invalid_argument, naming the flag, the value and what would be right.
kcontrol::result<options> parse_options(const std::vector<std::string_view>& arguments);

/// What --help prints.
std::string_view help_text() noexcept;

}  // namespace training_monitor

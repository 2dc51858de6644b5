// The command line of kcontrol-apiserver.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/transport/listen_address.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol_apiserver {

enum class action { serve, help, version };

class options {
public:
    action what = action::serve;
    kcontrol::http::listen_address listen;
    bool tls = true;
    std::string kubeconfig;         ///< written; empty: none
    std::vector<std::string> load;  ///< files and directories
    std::string data;               ///< empty: everything is in memory only
    std::string faults;
    std::string openapi;  ///< a directory
    bool garbage = false;
    bool pods = false;
    bool workloads = false;
    bool rbac = false;
    bool complete = true;      ///< objects get defaults and are validated
    bool lenient_cel = false;  ///< rules that the server's CEL does not know are taken
    int nodes = 1;

    // A program that is tried:

    bool crds_of = false;
    bool rbac_of = false;
    std::chrono::nanoseconds trial_time = std::chrono::seconds(10);
    std::string name;                  ///< of its role; empty: the program's
    std::vector<std::string> command;  ///< empty: none is tried
};

extern const char* const usage_text;

/// `arguments` without the program's name. Errors: invalid_argument, naming the flag, the value and the remedy.
kcontrol::result<options> parse_options(const std::vector<std::string>& arguments);

}  // namespace kcontrol_apiserver

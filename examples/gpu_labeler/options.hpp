// The command line of the labeler.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/time.hpp>

#include "labels/gpu_labels.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gpu_labeler {

/// What the program was asked to do. The defaults are those of --help.
struct options {
    bool dry_run = false;
    bool timestamp = true;
    bool help = false;
    bool version = false;
    mig_strategy strategy = mig_strategy::none;
    std::string nvml;
    std::string machine_type_file = "/sys/class/dmi/id/product_name";
    std::string sysfs = "/sys";
    kcontrol::duration nvml_timeout = std::chrono::seconds(5);
};

/// Reads the arguments without the program's name: `--flag value` and `--flag=value`.
/// Errors: invalid_argument, naming the flag, the value and what would be right.
kcontrol::result<options> parse_options(const std::vector<std::string_view>& arguments);

/// What --help prints.
std::string_view help_text() noexcept;

}  // namespace gpu_labeler

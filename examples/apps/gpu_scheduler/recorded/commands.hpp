// `gpu_scheduler explain`, `snapshot` and `replay`: what the scheduler would say of a cluster, now or as recorded.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gpu_scheduler {

/// Reads the cluster, and returns what /api/v1/why says of the pod that the arguments name. Nothing is written. Errors:
/// invalid_argument for the arguments; those of the cluster.
kcontrol::result<std::string> explain_command(const std::vector<std::string_view>& arguments,
                                              kcontrol::environment& env);
/// Reads the cluster, and writes it with the decisions for the pods that wait into the file that the arguments name.
/// Returns what was done. Errors: besides, file_failed.
kcontrol::result<std::string> snapshot_command(const std::vector<std::string_view>& arguments,
                                               kcontrol::environment& env);
/// Decides again for such a file. Returns how many decisions are the same. Errors: conflict (the first decision that
/// differs), invalid_argument, file_failed.
kcontrol::result<std::string> replay_command(const std::vector<std::string_view>& arguments,
                                             kcontrol::environment& env);

/// What --help prints.
std::string_view explain_help() noexcept;
std::string_view snapshot_help() noexcept;
std::string_view replay_help() noexcept;

}  // namespace gpu_scheduler

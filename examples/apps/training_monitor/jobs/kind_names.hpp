// The kinds that there are, by the names that the interface uses: those with types, and those that are read by rules.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor {

/// The kinds with types of their own.
inline constexpr std::array<std::string_view, 5> typed_kind_names{"PyTorchJob", "MPIJob", "TrainJob", "TrainingJob",
                                                                  "Job"};

/// All of them, those with types first.
std::vector<std::string_view> kind_names();

/// For people: "PyTorchJob, MPIJob, …".
std::string all_kind_names();

/// The kind of that name, whatever its case and with or without a plural s; empty if there is none.
std::string_view find_kind(std::string_view name);

}  // namespace training_monitor

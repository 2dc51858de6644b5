// gpu_scheduler: a scheduler for pods with GPUs. docs/gpu_scheduler.md is its page.
#include <kcontrol/runtime/core_dumps.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/version.hpp>

#include "commands/print_command.hpp"
#include "program.hpp"
#include "recorded/commands.hpp"
#include "simulate_command.hpp"

#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::string_view help = R"(A scheduler for pods with GPUs.

usage: gpu_scheduler [FLAGS]
       gpu_scheduler simulate FLAGS
       gpu_scheduler explain NAMESPACE/NAME
       gpu_scheduler snapshot --out FILE
       gpu_scheduler replay FILE

  FLAGS      run the scheduler; gpu_scheduler run --help lists the flags
  simulate   place the pods of a trace; these four have a --help
  explain    say why a pod waits
  snapshot   write the cluster and the decisions for it into a file
  replay     decide again for such a file
  --version  which program this is
  --help     this text
)";

// A command that prints something and ends.
struct command {
    std::string_view name;
    std::string_view (*help)() noexcept;
    kcontrol::result<std::string> (*run)(const std::vector<std::string_view>&, kcontrol::environment&);
};

constexpr command printing[] = {
    {"simulate", gpu_scheduler::simulate_help, gpu_scheduler::simulate_command},
    {"explain", gpu_scheduler::explain_help, gpu_scheduler::explain_command},
    {"snapshot", gpu_scheduler::snapshot_help, gpu_scheduler::snapshot_command},
    {"replay", gpu_scheduler::replay_help, gpu_scheduler::replay_command},
};

}  // namespace

int main(int argc, char** argv) {
    kcontrol::forbid_core_dumps();
    const std::vector<std::string_view> arguments(argv + std::min(argc, 1), argv + argc);
    const std::string_view first = arguments.empty() ? "" : arguments[0];
    for (const auto& each : printing) {
        if (first != each.name) continue;
        kcontrol::system_environment env;
        return commands::print_command({arguments.begin() + 1, arguments.end()}, each.help(),
                                       [&](const auto& rest) { return each.run(rest, env); });
    }
    if (first == "--version") return std::cout << "gpu_scheduler " << kcontrol::library_version << "\n", 0;
    if (first == "--help" || first == "-h") return std::cout << help, 0;
    if (first == "run" || first.empty() || first.starts_with('-')) {
        std::vector<char*> words(argv, argv + argc);
        if (first == "run") words.erase(words.begin() + 1);
        return gpu_scheduler::run_gpu_scheduler(static_cast<int>(words.size()), words.data());
    }
    std::cerr << help;
    return 2;
}

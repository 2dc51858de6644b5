// gpu_scheduler: a scheduler for pods with GPUs. docs/gpu_scheduler.md is its page.
#include <kcontrol/runtime/core_dumps.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/version.hpp>

#include "program.hpp"
#include "simulate_command.hpp"

#include <algorithm>
#include <iostream>
#include <string_view>
#include <vector>

namespace {

constexpr std::string_view help = R"(A scheduler for pods with GPUs.

usage: gpu_scheduler [FLAGS]
       gpu_scheduler simulate FLAGS

  FLAGS      run the scheduler; gpu_scheduler run --help lists the flags
  simulate   place the pods of a recorded cluster; simulate --help says more
  --version  which program this is
  --help     this text
)";

int simulate(const std::vector<std::string_view>& arguments) {
    const auto asks_help = [](std::string_view a) { return a == "--help" || a == "-h"; };
    if (std::ranges::any_of(arguments, asks_help)) return std::cout << gpu_scheduler::simulate_help(), 0;
    kcontrol::system_environment env;
    const auto line = gpu_scheduler::simulate_command(arguments, env);
    if (line) return std::cout << *line, std::cout.flush() ? 0 : 1;
    std::cerr << "error: " << line.error().message() << "\n";
    return line.error().code() == kcontrol::errc::invalid_argument ? 2 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    kcontrol::forbid_core_dumps();
    const std::vector<std::string_view> arguments(argv + std::min(argc, 1), argv + argc);
    const std::string_view first = arguments.empty() ? "" : arguments[0];
    if (first == "simulate") return simulate({arguments.begin() + 1, arguments.end()});
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

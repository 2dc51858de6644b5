// inference_autoscaler: replicas of inference servers. docs/inference_autoscaler.md is its page.
#include <kcontrol/runtime/core_dumps.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/version.hpp>

#include "simulate/simulate_command.hpp"

#include <algorithm>
#include <iostream>
#include <string_view>
#include <vector>

namespace {

int simulate(const std::vector<std::string_view>& arguments) {
    const auto asks_help = [](std::string_view a) { return a == "--help" || a == "-h"; };
    if (std::ranges::any_of(arguments, asks_help)) return std::cout << inference_autoscaler::simulate_help(), 0;
    kcontrol::system_environment env;
    const auto line = inference_autoscaler::simulate_command(arguments, env);
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
    if (first == "--version") return std::cout << "inference_autoscaler " << kcontrol::library_version << "\n", 0;
    std::cerr << "usage: inference_autoscaler simulate --help\n";
    return 2;
}

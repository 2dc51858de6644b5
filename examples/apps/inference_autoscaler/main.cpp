// inference_autoscaler: replicas of inference servers. docs/inference_autoscaler.md is its page.
#include <kcontrol/runtime/core_dumps.hpp>
#include <kcontrol/version.hpp>

#include <iostream>
#include <string_view>

int main(int argc, char** argv) {
    kcontrol::forbid_core_dumps();
    const std::string_view first = argc > 1 ? argv[1] : "";
    if (first == "--version") return std::cout << "inference_autoscaler " << kcontrol::library_version << "\n", 0;
    std::cerr << "usage: inference_autoscaler --version\n";
    return 2;
}

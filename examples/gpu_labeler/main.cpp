// gpu_labeler: what it is asked to do. So far it has one command, schedule.
#include <kcontrol/runtime/system_environment.hpp>

#include "schedule_command.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <vector>

namespace {

constexpr std::string_view help = R"(gpu_labeler: a GPU node's truth as labels.

usage: gpu_labeler schedule "SPEC" [--from RFC3339] [--count N]
       gpu_labeler --version | --help

Commands:
  schedule   prints when a cron schedule fires; see gpu_labeler schedule --help
)";

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

bool asks(const std::vector<std::string_view>& arguments, std::string_view flag) {
    return std::find(arguments.begin(), arguments.end(), flag) != arguments.end();
}

int schedule(const std::vector<std::string_view>& arguments) {
    if (asks(arguments, "--help") || asks(arguments, "-h")) {
        print(gpu_labeler::schedule_help());
        return 0;
    }
    kcontrol::system_environment env;
    const auto lines = gpu_labeler::schedule_command(arguments, env.wall_now(), gpu_labeler::cron::time_zone::local());
    if (!lines) {
        std::fprintf(stderr, "error: %s\n", lines.error().message().c_str());
        return 2;
    }
    print(*lines);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string_view> arguments(argv + 1, argv + argc);
    if (!arguments.empty() && arguments.front() == "schedule") {
        arguments.erase(arguments.begin());
        return schedule(arguments);
    }
    if (arguments.size() == 1 && (arguments[0] == "--help" || arguments[0] == "-h")) {
        print(help);
        return 0;
    }
    if (arguments.size() == 1 && arguments[0] == "--version") {
        print("gpu_labeler " GPU_LABELER_VERSION "\n");
        return 0;
    }
    std::fputs("error: no such command; see gpu_labeler --help\n", stderr);
    return 2;
}

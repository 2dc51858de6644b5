#include "pods/exit_code.hpp"

#include <array>
#include <utility>

namespace training_monitor {
namespace {

// signal(7), on the architectures that run training.
constexpr std::array<std::pair<std::int64_t, std::string_view>, 10> signals{{
    {1, "hung up (SIGHUP)"},
    {2, "interrupted (SIGINT)"},
    {4, "illegal instruction (SIGILL): built for another processor?"},
    {6, "aborted itself (SIGABRT)"},
    {7, "bus error (SIGBUS): often too little shared memory, /dev/shm"},
    {8, "arithmetic error (SIGFPE)"},
    {9, "killed (SIGKILL)"},
    {11, "segmentation fault (SIGSEGV)"},
    {13, "broken pipe (SIGPIPE)"},
    {15, "terminated (SIGTERM)"},
}};

}  // namespace

std::string exit_meaning(std::int64_t code, std::string_view reason) {
    if (reason == "OOMKilled") return code == 137 ? "killed (SIGKILL), out of memory" : "out of memory";
    if (reason == "DeadlineExceeded") return "its time was over";
    if (reason == "ContainerCannotRun" || reason == "StartError") return "it could not be started";
    if (reason == "ContainerStatusUnknown") return "nobody saw how it ended: its node was lost?";
    if (code == 126) return "the command can't be executed";
    if (code == 127) return "the command is not in the image";
    if (code > 128) {
        for (const auto& [number, words] : signals) {
            if (code == 128 + number) return std::string(words);
        }
        if (code <= 128 + 64) return "ended by signal " + std::to_string(code - 128);
    }
    return {};
}

}  // namespace training_monitor

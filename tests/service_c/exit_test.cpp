// A C program ends while the library's thread runs: nothing crashes, nothing is awaited.
#include "service_c/stage.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kcontrol::test;

namespace {

int run_probe(const std::string& mode, const std::string& kubeconfig) {
    const std::string program = KCONTROL_SERVICE_C_PROBE;
    std::string words[] = {program, mode, kubeconfig};
    char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
    pid_t child = 0;
    REQUIRE(::posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments, environ) == 0);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

}  // namespace

TEST_CASE("a C program, and the ways in which it ends") {
    for (const char* const mode : {"all", "pthread", "return", "exit", "exit-in-callback"}) {
        CAPTURE(mode);
        server_stage stage;
        stage.create(service_web);
        CHECK(run_probe(mode, stage.path("kubeconfig")) == 0);
    }
}

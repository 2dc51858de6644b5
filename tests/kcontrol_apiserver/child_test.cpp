#include "apiserver/child.hpp"

#include <kcontrol/testing/temporary_directory.hpp>

#include <doctest/doctest.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <string>
#include <sys/types.h>

using kcontrol_apiserver::child;

namespace {

void look_again() { ::poll(nullptr, 0, 5); }  // measures: how often a program is looked at

class fixture {
public:
    bool run(const std::string& script) {
        const bool started =
            program.start({"sh", "-c", script}, "/the/kubeconfig", directory.path("output")).has_value();
        while (started && !program.ended()) look_again();
        return started;
    }
    std::string output() const {
        std::ifstream file(directory.path("output"));
        return {std::istreambuf_iterator<char>(file), {}};
    }

    kcontrol::testing::temporary_directory directory;
    child program;
};

// A zombie does not run.
bool is_running(pid_t number) {
    std::ifstream file("/proc/" + std::to_string(number) + "/stat");
    std::string line;
    return std::getline(file, line) && line.find(") Z ") == std::string::npos;
}

}  // namespace

TEST_CASE_FIXTURE(fixture, "a program is found in PATH, and says and reads what it does here") {
    REQUIRE(run("echo $KUBECONFIG; echo ${KUBERNETES_SERVICE_HOST-none} >&2; cat"));
    CHECK(program.well());
    CHECK(output() == "/the/kubeconfig\nnone\n");
}

TEST_CASE_FIXTURE(fixture, "how a program ended") {
    REQUIRE(run("exit 3"));
    CHECK(!program.well());
    CHECK(program.how() == "with status 3");
    REQUIRE(run("kill -SEGV $$"));
    CHECK(!program.well());
    CHECK(program.how().starts_with("by signal 11 ("));
    CHECK(program.ended());
}

TEST_CASE_FIXTURE(fixture, "a signal is for the group, and what a program leaves behind is killed") {
    REQUIRE(program.start({"sh", "-c", "sleep 100 & wait"}, "", directory.path("output")).has_value());
    CHECK(!program.ended());
    program.signal(SIGTERM);
    while (!program.ended()) look_again();
    CHECK(program.how().starts_with("by signal 15 ("));
    REQUIRE(run("sleep 100 & echo $!"));
    const std::string left = output();
    const pid_t number = std::stoi(left);
    // It is init's now, or of whoever reaps here.
    for (int i = 0; i < 12'000 && is_running(number); ++i) look_again();
    CHECK(!is_running(number));
}

TEST_CASE_FIXTURE(fixture, "a program that is not there is named, with the remedy") {
    const auto done = program.start({"./no\nsuch"}, "", directory.path("output"));
    REQUIRE(!done.has_value());
    CHECK(done.error().message() ==
          "\"./no\\x0asuch\" can't be started: No such file or directory; name a program of PATH, or its path, such as "
          "./my_operator");
    CHECK(program.ended());
}

#include "files/hook.hpp"

#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include <doctest/doctest.h>

using namespace follow;

namespace {

struct fixture {
    boost::asio::io_context context;
    kcontrol::system_environment env;

    kcontrol::result<void> run(const std::string& command, const std::string& path = "/a b") {
        return kcontrol::testing::run(context, run_hook(env, "--check", command, path, {}));
    }
    std::string refused(const std::string& command) {
        const auto done = run(command);
        REQUIRE(!done);
        return done.error().message();
    }
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "run_hook: the path is $1, in one piece") {
    CHECK(run(R"(test "$1" = "/a b" && test $# = 1 && test -n "$PATH")"));
}

TEST_CASE_FIXTURE(fixture, "run_hook: a failure has the command, the status and what it wrote") {
    CHECK(refused("exit 3") == "--check \"exit 3\": exit status 3");
    CHECK(refused("echo out; exit 1") == "--check \"echo out; exit 1\": exit status 1: out");
    CHECK(refused("echo out; echo 'line 4: bad' >&2; exit 1") ==
          "--check \"echo out; echo 'line 4: bad' >&2; exit 1\": exit status 1: line 4: bad");
    CHECK(refused("kill -9 $$") == "--check \"kill -9 $$\": signal 9 ended it");
    CHECK(refused("nonsuch").find("exit status 127: kcontrol-follow: 1: nonsuch: not found") != std::string::npos);
}

TEST_CASE("run_hook: one that does not end is killed") {
    boost::asio::io_context context;
    kcontrol::testing::manual_environment env;
    env.programs["/bin/sh"] = [](const kcontrol::process_command& what) {
        CHECK(what.arguments() == std::vector<std::string>{"/bin/sh", "-c", "nginx -t", "kcontrol-follow", "/f"});
        return kcontrol::testing::fake_run().takes(std::chrono::minutes(5));
    };
    const auto begun = env.now();
    const auto done = kcontrol::testing::run(context, env, run_hook(env, "--reload", "nginx -t", "/f", {}));
    REQUIRE(!done);
    CHECK(done.error() == kcontrol::errc::timeout);
    CHECK(done.error().message().starts_with("--reload \"nginx -t\": "));
    CHECK(env.now() - begun == std::chrono::seconds(30));
}

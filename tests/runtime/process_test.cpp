// Real programs: what they get, what is kept of them, and that none of them can hold anybody up.
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>

using namespace kcontrol;

namespace {

struct fixture {
    result<process_result> run(process_command command) {
        std::optional<result<process_result>> out;
        testing::run(context, keep(env.run_process(std::move(command)), out));
        return *out;
    }
    static awaitable<void> keep(awaitable<result<process_result>> task, std::optional<result<process_result>>& out) {
        auto done = co_await std::move(task);
        out.emplace(std::move(done));
    }
    boost::asio::io_context context{1};
    system_environment env;
};

process_command shell(std::string script) {
    return process_command({"/bin/sh", "-c", std::move(script)}).variable("PATH", "/usr/bin:/bin");
}

}  // namespace

TEST_CASE("a program reads its input, and its exit status and outputs come back") {
    fixture f;
    const std::string big(300000, 'x');
    const auto echoed = f.run(process_command({"/bin/cat"}).input(big).max_output(big.size()));
    REQUIRE(echoed.has_value());
    CHECK(echoed->output == big);
    CHECK(echoed->exit_status == 0);
    const auto failed = f.run(shell("echo out; echo err >&2; exit 7"));
    REQUIRE(failed.has_value());
    CHECK(failed->exit_status == 7);
    CHECK(failed->signal == 0);
    CHECK(failed->output == "out\n");
    CHECK(failed->errors == "err\n");
    const auto killed = f.run(shell("kill -TERM $$"));
    REQUIRE(killed.has_value());
    CHECK(killed->signal == SIGTERM);
}

TEST_CASE("a program that does not read its input, or writes more than is kept") {
    fixture f;
    const auto deaf = f.run(process_command({"/bin/true"}).input(std::string(1 << 20, 'x')));
    REQUIRE(deaf.has_value());
    CHECK(deaf->exit_status == 0);
    const auto chatty = f.run(shell("head -c 1000000 /dev/zero; echo done >&2").max_output(100));
    REQUIRE(chatty.has_value());
    CHECK(chatty->output.size() == 100);
    CHECK(chatty->errors == "done\n");
}

TEST_CASE("it gets the variables it is given, no descriptor and no ignored signal of ours") {
    fixture f;
    const auto variables = f.run(process_command({"/usr/bin/env"}).variable("A", "1 2").variable("B", ""));
    REQUIRE(variables.has_value());
    CHECK(variables->output == "A=1 2\nB=\n");
    const auto before = std::signal(SIGPIPE, SIG_IGN);
    const auto open = f.run(shell("ls /proc/self/fd; pwd; kill -PIPE $$; echo ignored"));
    std::signal(SIGPIPE, before);
    REQUIRE(open.has_value());
    CHECK(open->output == "0\n1\n2\n3\n/\n");  // 3 is ls's own
    CHECK(open->signal == SIGPIPE);
}

TEST_CASE("a program that can't be started says why") {
    fixture f;
    const auto missing = f.run(process_command({"/no/such/program"}));
    REQUIRE_FALSE(missing.has_value());
    CHECK(missing.error() == errc::file_failed);
    CHECK(missing.error().message() == "the program /no/such/program can't be started: No such file or directory");
    CHECK(f.run(process_command({"/etc/passwd"})).error() == errc::file_failed);
    CHECK(f.run(process_command({"cat"})).error() == errc::invalid_argument);
    CHECK(f.run(process_command()).error() == errc::invalid_argument);
}

TEST_CASE("a program that does not end is killed with all that it started") {
    fixture f;
    const auto late = f.run(shell("sleep 1000 & sleep 1000").deadline(std::chrono::milliseconds(50)));
    REQUIRE_FALSE(late.has_value());
    CHECK(late.error() == errc::timeout);
    CHECK(late.error().message() == "the program /bin/sh did not end in time and was killed");
    f.context.restart();
    f.context.run();  // ends, for nothing is left of it

    std::stop_source stop;
    stop.request_stop();
    CHECK(f.run(shell("sleep 1000").stop(stop.get_token())).error() == errc::stopped);
    f.context.restart();
    f.context.run();
}

TEST_CASE("a grandchild that keeps the outputs open is not waited for") {
    fixture f;
    const auto left = f.run(shell("(trap '' TERM; echo $$; exec sleep 5) & echo started; exit 0"));
    REQUIRE(left.has_value());
    CHECK(left->exit_status == 0);
    CHECK(left->output.find("started\n") != std::string::npos);
}

TEST_CASE("several at once, and the loop goes on beside them") {
    fixture f;
    std::vector<std::optional<result<process_result>>> out(20);
    for (std::size_t i = 0; i < out.size(); ++i) {
        testing::start(f.context, fixture::keep(f.env.run_process(shell("exit " + std::to_string(i))), out[i]));
    }
    f.context.run();
    for (std::size_t i = 0; i < out.size(); ++i) {
        REQUIRE(out[i].has_value());
        REQUIRE(out[i]->has_value());
        CHECK((*out[i])->exit_status == static_cast<int>(i));
    }
}

TEST_CASE("an environment that starts no programs says so") {
    boost::asio::io_context context(1);
    testing::manual_environment env;
    std::optional<result<process_result>> out;
    testing::run(context, fixture::keep(env.run_process(process_command({"/bin/true"})), out));
    CHECK(out->error() == errc::unavailable);
}

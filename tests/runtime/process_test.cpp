// Real programs: what they get, what is kept of them, and that none of them can hold anybody up.
#include <kcontrol/runtime/run_program.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include "support/threads.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <filesystem>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

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

// A program that writes its number into `file` and then does not end.
process_command endless(const std::string& file) { return shell("echo $$ >" + file + "; exec sleep 1000"); }

// Runs the context until `file` has a line, which must be a program's number.
pid_t wait_for_number(fixture& f, const std::string& file) {
    const auto limit = f.env.now() + std::chrono::minutes(5);
    for (;;) {
        f.context.restart();
        f.context.poll();
        const auto text = f.env.read_file(file, 100);
        if (text && text->ends_with('\n')) return std::stoi(*text);
        REQUIRE(f.env.now() < limit);
    }
}

// True for one that runs, and for one that has ended and that nobody has reaped.
bool exists(pid_t process) { return ::kill(process, 0) == 0; }

// Makes pidfd_open fail with `number`, on this thread and for ever.
void forbid_pidfd_open(int number) {
    sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(number)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{4, code};
    REQUIRE(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    REQUIRE(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
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

TEST_CASE("what it writes to standard error is shown as it comes, and comes back all the same") {
    fixture f;
    const testing::temporary_directory directory;
    int ends[2];
    REQUIRE(::pipe2(ends, O_NONBLOCK | O_CLOEXEC) == 0);
    const process_command command =
        shell("echo look >&2; echo out; until [ -e " + directory.path("go") + " ]; do sleep 0.01; done; echo end >&2");
    const auto how = program_options().shown_errors(ends[1]);
    std::optional<result<process_result>> out;
    boost::asio::co_spawn(f.context, fixture::keep(run_program(f.env, command, how), out), boost::asio::detached);
    std::string shown;
    const auto show = [&] {
        char buffer[100];
        for (ssize_t n = 0; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;) shown.append(buffer, std::size_t(n));
        return shown;
    };
    const auto limit = f.env.now() + std::chrono::minutes(5);
    // measures: how often it looks, and no deadline
    while (show() != "look\n" && f.env.now() < limit) f.context.run_one_for(std::chrono::milliseconds(10));
    CHECK(!out);  // it still runs
    directory.write("go", "");
    // measures: as above
    while (!out && f.env.now() < limit) f.context.run_one_for(std::chrono::milliseconds(10));
    REQUIRE(out);
    REQUIRE(out->has_value());
    CHECK(show() == "look\nend\n");
    CHECK((*out)->errors == "look\nend\n");
    CHECK((*out)->output == "out\n");
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST_CASE("it runs in /, or where this process does") {
    fixture f;
    CHECK(f.run(shell("pwd"))->output == "/\n");
    std::optional<result<process_result>> out;
    const auto in_place = program_options().in_place(true);
    testing::run(f.context, fixture::keep(run_program(f.env, shell("pwd -P"), in_place), out));
    CHECK((*out)->output == std::filesystem::current_path().string() + "\n");
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
    // measures: the program never ends by itself
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

TEST_CASE("a program that is killed is reaped, whoever ends first") {
    testing::temporary_directory dir;
    std::optional<result<process_result>> out;
    {
        fixture f;
        std::stop_source stop;
        testing::start(f.context, fixture::keep(f.env.run_process(endless(dir.path("a")).stop(stop.get_token())), out));
        const pid_t stopped = wait_for_number(f, dir.path("a"));
        CHECK(exists(stopped));
        stop.request_stop();
        f.context.restart();
        f.context.run();
        REQUIRE(out.has_value());
        CHECK(out->error() == errc::stopped);
        CHECK_FALSE(exists(stopped));
    }
    pid_t left = -1;
    {
        fixture f;
        testing::start(f.context, fixture::keep(f.env.run_process(endless(dir.path("b"))), out));
        left = wait_for_number(f, dir.path("b"));
        CHECK(exists(left));
    }  // the context goes, and nobody runs it any more
    CHECK_FALSE(exists(left));
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

TEST_CASE("no thread is started for it") {
    fixture f;
    const auto before = test::threads_now();
    auto most = before;
    std::optional<result<process_result>> out;
    testing::start(f.context, fixture::keep(f.env.run_process(shell("echo out; exit 3")), out));
    while (f.context.run_one() != 0) most = std::max(most, test::threads_now());
    REQUIRE(out.has_value());
    CHECK((*out)->exit_status == 3);
    CHECK(most == before);
}

TEST_CASE("SIGCHLD stays the program's: it is not caught, and ignoring it costs only the exit status") {
    fixture f;
    struct sigaction before, after;
    ::sigaction(SIGCHLD, nullptr, &before);
    CHECK(f.run(shell("exit 3"))->exit_status == 3);
    ::sigaction(SIGCHLD, nullptr, &after);
    const bool untouched = after.sa_handler == before.sa_handler;
    CHECK(untouched);
    std::signal(SIGCHLD, SIG_IGN);
    const auto unknown = f.run(shell("echo out; exit 3"));
    std::signal(SIGCHLD, SIG_DFL);
    REQUIRE(unknown.has_value());
    CHECK(unknown->exit_status == -1);
    CHECK(unknown->signal == 0);
    CHECK(unknown->output == "out\n");
}

TEST_CASE("where the kernel has no pidfd_open, or a seccomp filter forbids it, nothing is started") {
    testing::temporary_directory dir;
    for (const int number : {ENOSYS, EPERM}) {
        std::optional<result<process_result>> out;
        std::thread([&] {  // seam: ok, a filter stays for as long as its thread
            fixture f;
            forbid_pidfd_open(number);
            out.emplace(f.run(shell("echo >" + dir.path("started"))));
        })
            .join();
        REQUIRE(out.has_value());
        REQUIRE_FALSE(out->has_value());
        CHECK(out->error() == errc::unavailable);
        CHECK_MESSAGE(out->error().message().starts_with("the program /bin/sh can't be run here: "),
                      out->error().message());
        CHECK_MESSAGE(out->error().message().find("Linux 5.4") != std::string::npos, out->error().message());
        CHECK(system_environment().read_file(dir.path("started"), 10).error() == errc::file_failed);
    }
}

TEST_CASE("an environment of tests starts the programs that it was given, and no others") {
    boost::asio::io_context context(1);
    testing::manual_environment env;
    std::optional<result<process_result>> out;
    testing::run(context, fixture::keep(env.run_process(process_command({"/bin/true"})), out));
    CHECK(out->error() == errc::file_failed);
}

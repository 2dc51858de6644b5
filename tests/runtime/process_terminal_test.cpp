// A program that reads from the terminal of the one that runs it: on a pseudo-terminal, in a child of the test.
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <doctest/doctest.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <functional>
#include <poll.h>
#include <stop_token>
#include <string>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utility>

using namespace kcontrol;

namespace {

constexpr int patience_ms = 120'000;

/// A child that leads a session with a terminal as its standard input, and runs a function there.
class terminal_session {
public:
    explicit terminal_session(const std::function<int()>& run) {
        master_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        REQUIRE(master_ >= 0);
        REQUIRE(::grantpt(master_) == 0);
        REQUIRE(::unlockpt(master_) == 0);
        const std::string name = ::ptsname(master_);
        child_ = ::fork();
        REQUIRE(child_ >= 0);
        if (child_ == 0) {
            ::setsid();
            const int terminal = ::open(name.c_str(), O_RDWR);
            ::ioctl(terminal, TIOCSCTTY, 0);
            ::dup2(terminal, STDIN_FILENO);
            ::dup2(terminal, STDERR_FILENO);
            ::_exit(run());
        }
    }
    terminal_session(const terminal_session&) = delete;
    terminal_session& operator=(const terminal_session&) = delete;
    ~terminal_session() {
        if (child_ > 0) {
            ::kill(child_, SIGKILL);
            ::waitpid(child_, nullptr, 0);
        }
        ::close(master_);
    }

    void type(const std::string& text) const { CHECK(::write(master_, text.data(), text.size()) > 0); }
    /// Waits until the screen has that text.
    bool shows(const std::string& text) {
        while (screen_.find(text) == std::string::npos) {
            pollfd ready{master_, POLLIN, 0};
            char buffer[256];
            const ssize_t n = ::poll(&ready, 1, patience_ms) > 0 ? ::read(master_, buffer, sizeof buffer) : -1;
            if (n <= 0) return false;
            screen_.append(buffer, static_cast<std::size_t>(n));
        }
        return true;
    }
    int wait() {
        int status = -1;
        ::waitpid(std::exchange(child_, -1), &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -status;
    }

private:
    int master_ = -1;
    pid_t child_ = -1;
    std::string screen_;
};

process_command shell(std::string script) {
    return process_command({"/bin/sh", "-c", std::move(script)}).variable("PATH", "/usr/bin:/bin").terminal(true);
}

result<process_result> run(process_command command) {
    boost::asio::io_context context{1};
    system_environment env;
    return testing::run(context, env.run_process(std::move(command)));
}

}  // namespace

TEST_CASE("a program that gets the terminal asks its user there") {
    terminal_session session([] {
        if (!system_environment().terminal_problem().empty()) return 10;
        const auto got = run(shell("test -t 0 || exit 4; echo name? >&2; read name; echo \"$name\""));
        return !got ? 11 : got->exit_status != 0 ? got->exit_status : got->output == "jane\n" ? 0 : 12;
    });
    REQUIRE(session.shows("name?"));
    session.type("jane\n");
    CHECK(session.wait() == 0);
}

TEST_CASE("a program with the terminal is killed with all that it has started, and the echo comes back") {
    const testing::temporary_directory directory;
    const std::string file = directory.path("number");
    terminal_session session([&file] {
        auto command = shell("stty -echo; (sh -c 'echo $$ >" + file + ".new; mv " + file + ".new " + file +
                             "; exec sleep 1000'; true) & cat; true");
        std::stop_source stop;
        boost::asio::io_context context{1};
        system_environment env;
        // Stops it when the program that it started is there.
        const auto poll = [&]() -> awaitable<void> {
            const auto limit = env.now() + std::chrono::minutes(2);
            while (!env.read_file(file, 100) && env.now() < limit)
                co_await boost::asio::post(boost::asio::use_awaitable);
            stop.request_stop();
        };
        boost::asio::co_spawn(context, poll(), boost::asio::detached);
        const auto got = testing::run(context, env.run_process(command.stop(stop.get_token())));
        if (got || got.error() != errc::stopped) return 10;
        const pid_t started = std::stoi(env.read_file(file, 100).value());
        // Orphans are reaped by another process.
        for (const auto limit = env.now() + std::chrono::minutes(2); ::kill(started, 0) == 0;) {
            const auto state = env.read_file("/proc/" + std::to_string(started) + "/stat", 1000);
            if (!state || state->find(") Z") != std::string::npos || state->find(") X") != std::string::npos) break;
            if (env.now() < limit) continue;
            ::kill(started, SIGKILL);
            return 13;
        }
        termios now{};
        if (::tcgetattr(STDIN_FILENO, &now) != 0) return 11;
        return (now.c_lflag & ECHO) != 0 ? 0 : 12;
    });
    CHECK(session.wait() == 0);
}

TEST_CASE("what is in the background of its terminal, or has none, lends none") {
    terminal_session session([] {
        const pid_t other = ::fork();
        if (other == 0) {
            ::setpgid(0, 0);
            const auto why = system_environment().terminal_problem();
            ::_exit(why == "this program runs in the background of its terminal" ? 0 : 1);
        }
        int status = -1;
        ::waitpid(other, &status, 0);
        if (status != 0) return 10;
        ::close(STDIN_FILENO);
        ::open("/dev/null", O_RDONLY);
        return system_environment().terminal_problem() == "standard input is not a terminal" ? 0 : 11;
    });
    CHECK(session.wait() == 0);
}

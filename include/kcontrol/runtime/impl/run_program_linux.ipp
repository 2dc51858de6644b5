#pragma once

#include <kcontrol/runtime/impl/file_descriptor.hpp>
#include <kcontrol/runtime/impl/process_end_linux.hpp>
#include <kcontrol/runtime/impl/process_start_linux.hpp>
#include <kcontrol/runtime/run_program.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <poll.h>
#include <string_view>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kcontrol::inline v0_1 {
namespace detail {

// A descriptor that becomes readable when the process ends, or -1 and errno.
inline int open_pidfd(pid_t process) { return static_cast<int>(::syscall(SYS_pidfd_open, process, 0)); }

// Takes the status of a child that has ended; false while it runs. Where others have reaped it, the status stays empty.
inline bool reap_by_pidfd(int pidfd, siginfo_t& status) {
    constexpr auto by_pidfd = static_cast<idtype_t>(3);  // P_PIDFD, which glibc's headers have since 2.36 only
    status = {};
    while (::waitid(by_pidfd, static_cast<id_t>(pidfd), &status, WEXITED | WNOHANG) != 0) {
        if (errno != EINTR) return true;
    }
    return status.si_pid != 0;
}

// A running program and the descriptors that belong to it. The handlers own it, so that it ends when the program and
// its outputs do.
class process_run : public std::enable_shared_from_this<process_run> {
public:
    process_run(const executor& ex, const program_options& how) : ended_(ex), output_(ex), errors_(ex), how_(how) {
        outcome_.exit_status = -1;  // until it is known
    }

    // The context goes while the program runs. Reaping waits for what SIGKILL ends, which is over at once but for a
    // program in the hands of a broken driver or file system; then the embedding program's own end reaps it.
    ~process_run() {
        if (child_ <= 0) return;
        kill_all();
        pollfd end{ended_.native_handle(), POLLIN, 0};
        siginfo_t ignored;
        if (::poll(&end, 1, longest_reaping_ms) > 0) reap_by_pidfd(end.fd, ignored);
    }

    result<void> begin(const process_command& command) {
        // Before anything is started that could not be watched.
        if (const owned_fd probe(open_pidfd(::getpid())); probe.get() < 0) return no_pidfd(errno);
        max_output_ = command.max_output();
        process_streams streams;
        if (command.terminal()) terminal_.emplace();
        if (const int number = streams.open(command)) return failed("can't be started", number);
        if (const int number = spawn_process(command, streams, how_.in_place(), child_)) {
            child_ = -1;
            return failed("can't be started", number);
        }
        error_code failure;
        take(output_, streams.output, failure);
        take(errors_, streams.errors, failure);
        if (failure) return give_up(failure.value());
        owned_fd end(open_pidfd(child_));
        if (end.get() < 0) {
            if (errno != ESRCH) return give_up(errno);
            finish();  // it has ended, and others have reaped it
            return {};
        }
        take(ended_, end, failure);
        if (failure) return give_up(failure.value());
        wait_for_end();
        read(output_, outcome_.output);
        read(errors_, outcome_.errors);
        return {};
    }

    bool done() const noexcept { return child_ <= 0; }
    async_event& changed() noexcept { return changed_; }
    process_result& outcome() noexcept { return outcome_; }

    /// Kills the program and what it has started. The loop reaps it.
    void abandon() {
        if (done()) return;
        kill_all();
        error_code ignored;
        output_.close(ignored);
        errors_.close(ignored);
    }

private:
    using descriptor = boost::asio::posix::stream_descriptor;
    static constexpr int longest_reaping_ms = 1000;

    static result<void> failed(const char* what, int number) {
        return error(errc::file_failed,
                     std::string(what) + ": " + error_code(number, boost::system::system_category()).message());
    }

    static result<void> no_pidfd(int number) {
        return error(errc::unavailable,
                     "can't be run here: " + error_code(number, boost::system::system_category()).message() +
                         " (pidfd_open); it takes Linux 5.4 or newer and a seccomp filter that allows this call");
    }

    static void take(descriptor& into, owned_fd& fd, error_code& failure) {
        if (!failure) into.assign(fd.get(), failure);
        if (failure) return;
        fd.release();
        into.non_blocking(true, failure);
    }

    void kill_all() {
        if (!terminal_) {
            ::kill(-child_, SIGKILL);
            return;
        }
        kill_descendants(child_);
        terminal_->restore();
    }

    // Started, and the system has nothing left to watch it with: it is killed, which is over as soon as exec was.
    result<void> give_up(int number) {
        kill_all();
        while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
        }
        child_ = -1;
        return failed("can't be watched", number);
    }

    void wait_for_end() {
        ended_.async_wait(descriptor::wait_read, [self = shared_from_this()](const error_code& failure) {
            if (!failure) self->reap();
        });
    }

    void reap() {
        siginfo_t status;
        if (!reap_by_pidfd(ended_.native_handle(), status)) return wait_for_end();
        const bool known = status.si_pid != 0;
        if (known && status.si_code == CLD_EXITED) outcome_.exit_status = status.si_status;
        if (known && status.si_code != CLD_EXITED) outcome_.signal = status.si_status;
        finish();
    }

    void finish() {
        // What it wrote last; a grandchild that keeps a pipe open is not waited for.
        drain(output_, outcome_.output);
        drain(errors_, outcome_.errors);
        child_ = -1;
        error_code ignored;
        ended_.close(ignored);
        output_.close(ignored);
        errors_.close(ignored);
        changed_.notify_all();
    }

    void read(descriptor& from, std::string& into) {
        from.async_wait(descriptor::wait_read, [self = shared_from_this(), &from, &into](const error_code& failure) {
            if (!failure && self->drain(from, into)) self->read(from, into);
        });
    }

    // What can't be written is lost, as it would be to the program itself.
    void show(std::string_view text) const {
        while (how_.shown_errors() >= 0 && !text.empty()) {
            const ssize_t n = ::write(how_.shown_errors(), text.data(), text.size());
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) return;
            text.remove_prefix(static_cast<std::size_t>(n));
        }
    }

    // Takes what is there; false once there will be no more.
    bool drain(descriptor& from, std::string& into) {
        std::array<char, 4096> buffer{};
        // Not for ever: a program that writes faster than this reads must not keep the loop.
        for (int rounds = 0; from.is_open() && rounds < 16; ++rounds) {
            const ssize_t n = ::read(from.native_handle(), buffer.data(), buffer.size());
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) return n < 0 && errno == EAGAIN;
            if (&from == &errors_) show(std::string_view(buffer.data(), static_cast<std::size_t>(n)));
            const auto kept = std::min(static_cast<std::size_t>(n), max_output_ - std::min(max_output_, into.size()));
            into.append(buffer.data(), kept);
        }
        return from.is_open();
    }

    descriptor ended_, output_, errors_;
    pid_t child_ = -1;
    std::size_t max_output_ = 0;
    program_options how_;
    process_result outcome_;
    async_event changed_;
    std::optional<terminal_settings> terminal_;  // where it was lent it
};

}  // namespace detail

KCONTROL_DECL awaitable<result<process_result>> run_program(environment& env, process_command command,
                                                            program_options how) {
    if (command.arguments().empty() || !command.arguments().front().starts_with('/')) {
        co_return error(errc::invalid_argument, "a program to run must be named by its absolute path");
    }
    const std::string program = "the program " + command.arguments().front();
    const auto limit = env.now() + command.deadline();
    executor ex = co_await boost::asio::this_coro::executor;
    const auto run = std::make_shared<detail::process_run>(ex, how);
    const auto begun = run->begin(command);
    if (!begun) co_return error(begun.error().code(), program + " " + begun.error().message());
    while (!run->done()) {
        const wake reason = co_await run->changed().wait(env, command.stop(), limit);
        if (reason == wake::notified) continue;
        run->abandon();
        if (reason == wake::stopped) co_return error(errc::stopped, program + " was stopped");
        co_return error(errc::timeout, program + " did not end in time and was killed");
    }
    co_return std::move(run->outcome());
}

}  // namespace kcontrol

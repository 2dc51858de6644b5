#pragma once

#include <kcontrol/runtime/detached_thread.hpp>
#include <kcontrol/runtime/impl/process_start_linux.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/this_coro.hpp>

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace kcontrol {
namespace detail {

// The descriptors of one run. The handlers own it, so that it ends when the program and its outputs do.
class process_run : public std::enable_shared_from_this<process_run> {
public:
    explicit process_run(const executor& ex) : started_(ex), ended_(ex), output_(ex), errors_(ex) {}

    ~process_run() {
        if (!start_ || start_->decide(process_start::abandoned)) return;
        if (!done_ && start_->child > 0) ::kill(-start_->child, SIGKILL);
    }

    result<void> begin(const process_command& command) {
        start_ = std::make_shared<process_start>();
        start_->arguments = command.arguments();
        for (const auto& [name, value] : command.variables()) {
            start_->variables.push_back(name);
            start_->variables.back().append("=").append(value);
        }
        max_output_ = command.max_output();
        if (const int failure = open_streams(command.input())) return failed(failure);
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) return failed(errno);
        started_.assign(ends[0]);
        try {
            run_detached([start = start_, end = ends[1]] { start_program(start, end); });
        } catch (const std::system_error& why) {
            ::close(ends[1]);
            return failed(why.code().value());
        }
        started_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                            [self = shared_from_this()](const error_code& failure) {
                                if (!failure) self->take_child();
                            });
        return {};
    }

    bool done() const noexcept { return done_; }
    int failure() const noexcept { return start_->failure; }
    async_event& changed() noexcept { return changed_; }
    process_result& outcome() noexcept { return outcome_; }

    /// Kills the program and its group, or lets the thread do it where it has not started yet.
    void abandon() {
        if (done_) return;
        unwanted_ = true;
        start_->decide(process_start::abandoned);
        if (child_ > 0) ::kill(-child_, SIGKILL);
        error_code ignored;
        output_.close(ignored);
        errors_.close(ignored);
    }

private:
    using descriptor = boost::asio::posix::stream_descriptor;

    static result<void> failed(int number) {
        return error(errc::file_failed, "can't prepare to start a program: " +
                                            error_code(number, boost::system::system_category()).message());
    }

    // Input is a file in memory, so nothing has to be written while the program runs, whether it reads or not.
    int open_streams(const std::string& input) {
        auto& streams = start_->streams;
        streams[0] = ::memfd_create("input", MFD_CLOEXEC);
        if (streams[0] < 0) return errno;
        for (std::size_t at = 0; at < input.size();) {
            const ssize_t n = ::write(streams[0], input.data() + at, input.size() - at);
            if (n < 0 && errno != EINTR) return errno;
            if (n > 0) at += static_cast<std::size_t>(n);
        }
        ::lseek(streams[0], 0, SEEK_SET);
        for (descriptor* into : {&output_, &errors_}) {
            int ends[2];
            if (::pipe2(ends, O_CLOEXEC) != 0) return errno;
            into->assign(ends[0]);
            into->non_blocking(true);
            streams[into == &output_ ? 1 : 2] = ends[1];
        }
        return 0;
    }

    void take_child() {
        error_code ignored;
        started_.close(ignored);
        if (start_->now.load(std::memory_order_acquire) != process_start::complete) return finish();
        for (int& fd : start_->streams) {
            if (fd >= 0) ::close(fd);
            fd = -1;
        }
        if (start_->failure != 0) return finish();
        child_ = start_->child;
        if (unwanted_) ::kill(-child_, SIGKILL);
        const int watched = static_cast<int>(::syscall(SYS_pidfd_open, child_, 0));
        if (watched < 0) {
            // It has ended and other code has reaped it; or the kernel is older than 5.3, and the program can't be
            // watched.
            if (errno != ESRCH) ::kill(-child_, SIGKILL);
            return reap();
        }
        ended_.assign(watched);
        ended_.async_wait(descriptor::wait_read, [self = shared_from_this()](const error_code&) { self->reap(); });
        read(output_, outcome_.output);
        read(errors_, outcome_.errors);
    }

    void reap() {
        int status = 0;
        pid_t reaped = 0;
        while ((reaped = ::waitpid(child_, &status, 0)) < 0 && errno == EINTR) {
        }
        outcome_.exit_status = reaped == child_ && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        outcome_.signal = reaped == child_ && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        // What it wrote last; a grandchild that keeps a pipe open is not waited for.
        drain(output_, outcome_.output);
        drain(errors_, outcome_.errors);
        finish();
    }

    void finish() {
        child_ = -1;
        done_ = true;
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

    // Takes what is there; false once there will be no more.
    bool drain(descriptor& from, std::string& into) {
        std::array<char, 4096> buffer{};
        // Not for ever: a program that writes faster than this reads must not keep the loop.
        for (int rounds = 0; from.is_open() && rounds < 16; ++rounds) {
            const ssize_t n = ::read(from.native_handle(), buffer.data(), buffer.size());
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) return n < 0 && errno == EAGAIN;
            const auto kept = std::min(static_cast<std::size_t>(n), max_output_ - std::min(max_output_, into.size()));
            into.append(buffer.data(), kept);
        }
        return from.is_open();
    }

    descriptor started_, ended_, output_, errors_;
    std::shared_ptr<process_start> start_;
    pid_t child_ = -1;
    std::size_t max_output_ = 0;
    bool done_ = false;
    bool unwanted_ = false;
    process_result outcome_;
    async_event changed_;
};

}  // namespace detail

KCONTROL_DECL awaitable<result<process_result>> system_environment::run_process(process_command command) {
    if (command.arguments().empty() || !command.arguments().front().starts_with('/')) {
        co_return error(errc::invalid_argument, "a program to run must be named by its absolute path");
    }
    const std::string program = "the program " + command.arguments().front();
    const auto limit = now() + command.deadline();
    executor ex = co_await boost::asio::this_coro::executor;
    const auto run = std::make_shared<detail::process_run>(ex);
    auto begun = run->begin(command);
    if (!begun) co_return begun.error();
    while (!run->done()) {
        const wake reason = co_await run->changed().wait(*this, command.stop(), limit);
        if (reason == wake::notified) continue;
        run->abandon();
        if (reason == wake::stopped) co_return error(errc::stopped, program + " was stopped");
        co_return error(errc::timeout, program + " did not end in time and was killed");
    }
    if (const int failure = run->failure()) {
        co_return error(errc::file_failed, program + " can't be started: " +
                                               error_code(failure, boost::system::system_category()).message());
    }
    co_return std::move(run->outcome());
}

}  // namespace kcontrol

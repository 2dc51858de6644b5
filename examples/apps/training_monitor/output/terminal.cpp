#include "output/terminal.hpp"

#include <kcontrol/runtime/signals.hpp>

#include <boost/asio/posix/stream_descriptor.hpp>

#include <array>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <string>
#include <termios.h>
#include <unistd.h>
#include <utility>

namespace training_monitor {
namespace {

using descriptor = boost::asio::posix::stream_descriptor;

constexpr std::array deadly{SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

// What a handler of signals needs, for it can ask nobody.
struct {
    int in = -1, out = -1;
    bool has_settings = false;
    termios settings{};
    std::array<struct sigaction, deadly.size()> before{};
} taken;

void put_back_actions() {
    for (std::size_t i = 0; i < deadly.size(); ++i) ::sigaction(deadly[i], &taken.before[i], nullptr);
}

// Only what may be called there (signal-safety(7)). Then the signal does what it does without this: a fault happens
// again as the handler returns, and what somebody sent, abort() as well, is sent again.
extern "C" void end_badly(int number, siginfo_t* from, void*) {
    const int kept = errno;
    const auto ignored = ::write(taken.out, leave_screen.data(), leave_screen.size());
    static_cast<void>(ignored);
    if (taken.has_settings) ::tcsetattr(taken.in, TCSANOW, &taken.settings);
    put_back_actions();
    const bool was_sent = number == SIGQUIT || from->si_code <= 0;
    if (was_sent) ::raise(number);
    errno = kept;
}

void catch_deadly_signals() {
    struct sigaction action {};
    action.sa_sigaction = end_badly;
    action.sa_flags = SA_SIGINFO;
    ::sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < deadly.size(); ++i) ::sigaction(deadly[i], &action, &taken.before[i]);
}

class process_terminal final : public terminal {
public:
    process_terminal(kcontrol::executor ex, int in, int out, terminal_calls calls)
        : in_(in),
          out_(out),
          calls_(std::move(calls)),
          ready_(ex),
          resized_(ex, {SIGWINCH}, [this] { calls_.redraw(); }),
          stopped_(ex, {SIGTSTP}, [this] { stop(); }),
          continued_(ex, {SIGCONT}, [this] { calls_.redraw(); }),
          hung_up_(ex, {SIGHUP}, [this] { calls_.hung_up(); }) {
        if (in < 0) return;
        // One of its own to wait on; it is read from directly, so that the descriptor stays blocking for whom it is
        // shared with.
        boost::system::error_code ignored;
        ready_.assign(::dup(in), ignored);
        wait();
    }
    process_terminal(const process_terminal&) = delete;
    process_terminal& operator=(const process_terminal&) = delete;
    ~process_terminal() override { process_terminal::give_back(); }

    bool has_keys() const override { return in_ >= 0; }

    bool has_foreground() const override {
        const pid_t group = ::tcgetpgrp(in_ >= 0 ? in_ : out_);
        return group < 0 || group == ::getpgrp();  // it has none: it is not what controls this process
    }

    void take() override {
        if (std::exchange(is_taken_, true)) return;
        taken.in = in_;
        taken.out = out_;
        taken.has_settings = in_ >= 0 && ::tcgetattr(in_, &taken.settings) == 0;
        if (taken.has_settings) {
            termios keys = taken.settings;
            keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
            keys.c_cc[VMIN] = 1;
            keys.c_cc[VTIME] = 0;
            ::tcsetattr(in_, TCSANOW, &keys);
        }
        catch_deadly_signals();
    }

    void give_back() override {
        if (!std::exchange(is_taken_, false)) return;
        put_back_actions();
        if (taken.has_settings) ::tcsetattr(in_, TCSANOW, &taken.settings);
    }

private:
    void stop() {
        calls_.leave();
        ::raise(SIGSTOP);  // the shell has the terminal until SIGCONT
    }

    void wait() {
        if (!ready_.is_open()) return;
        ready_.async_wait(descriptor::wait_read, [this](const boost::system::error_code& failed) {
            if (failed) return;  // this is gone, or the terminal
            if (read()) wait();
        });
    }

    // False: no key will come any more.
    bool read() {
        pollfd one{in_, POLLIN, 0};
        if (::poll(&one, 1, 0) != 1) return true;
        std::string bytes(4096, '\0');
        const auto got = ::read(in_, bytes.data(), bytes.size());
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
        if (got <= 0) return false;
        bytes.resize(static_cast<std::size_t>(got));
        calls_.bytes(bytes);
        return true;
    }

    int in_, out_;
    terminal_calls calls_;
    descriptor ready_;
    bool is_taken_ = false;
    kcontrol::signal_calls resized_, stopped_, continued_, hung_up_;
};

}  // namespace

std::unique_ptr<terminal> make_terminal(kcontrol::executor ex, int in, int out, terminal_calls calls) {
    return std::make_unique<process_terminal>(std::move(ex), in, out, std::move(calls));
}

}  // namespace training_monitor

// Ending a program that was lent the terminal, and so is in the process group of this one.
#pragma once

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/types.h>
#include <system_error>
#include <termios.h>
#include <unistd.h>

namespace kcontrol::inline v0_1::detail {

// Kills a child of ours, what it has started, and so on. Each is stopped first, so that it starts no more and reaps
// none: the numbers below it stay those of its children.
inline void kill_descendants(pid_t process) {
    ::kill(process, SIGSTOP);
    std::error_code failure;
    const std::filesystem::path threads = "/proc/" + std::to_string(process) + "/task";
    for (std::filesystem::directory_iterator at(threads, failure), end; !failure && at != end; at.increment(failure)) {
        std::ifstream children(at->path() / "children");
        for (pid_t child = 0; children >> child;) kill_descendants(child);
    }
    ::kill(process, SIGKILL);
}

/// How the terminal of standard input was when a program began to use it: one that is killed while it reads a password
/// leaves it without an echo.
class terminal_settings {
public:
    terminal_settings() : known_(::tcgetattr(STDIN_FILENO, &settings_) == 0) {}
    void restore() const {
        if (known_) ::tcsetattr(STDIN_FILENO, TCSANOW, &settings_);
    }

private:
    termios settings_{};
    bool known_;
};

}  // namespace kcontrol::detail

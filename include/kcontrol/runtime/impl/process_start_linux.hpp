// Starting a program, which a thread of its own does: what it shares with the side that waits, and how the child
// begins.
#pragma once

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <memory>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace kcontrol::detail {

// What the thread that starts a program shares with the side that waits. The thread owns it until it is `complete`, and
// for ever if it was `abandoned` before.
struct process_start {
    std::vector<std::string> arguments;
    std::vector<std::string> variables;
    std::array<int, 3> streams{-1, -1, -1};  // the child's; closed when the record goes
    pid_t child = -1;
    int failure = 0;  // errno
    enum state { starting, complete, abandoned };
    std::atomic<state> now = starting;  // hands the record over; the pipe only notifies

    // Decides the outcome. True for the first of the two sides that calls it; the second changes nothing.
    bool decide(state way) {
        state expected = starting;
        return now.compare_exchange_strong(expected, way, std::memory_order_acq_rel);
    }

    ~process_start() {
        for (const int fd : streams) {
            if (fd >= 0) ::close(fd);
        }
    }
};

inline std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> out;
    out.reserve(texts.size() + 1);
    for (auto& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

// posix_spawn, so that the child runs none of our code: standard streams, no other descriptor, default signals, a
// process group of its own.
inline void spawn_process(process_start& start) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    for (int i = 0; i < 3; ++i) {
        ::posix_spawn_file_actions_adddup2(&actions, start.streams[static_cast<std::size_t>(i)], i);
    }
    ::posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    ::posix_spawn_file_actions_addchdir_np(&actions, "/");
    sigset_t all, none;
    ::sigfillset(&all);
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    const auto arguments = pointers_to(start.arguments);
    const auto variables = pointers_to(start.variables);
    start.failure =
        ::posix_spawn(&start.child, arguments.front(), &actions, &attributes, arguments.data(), variables.data());
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
}

// Blocks until the child has ended, so it is only for one that has been killed.
inline void reap_killed(pid_t child) {
    ::kill(-child, SIGKILL);
    int ignored = 0;
    while (::waitpid(child, &ignored, 0) < 0 && errno == EINTR) {
    }
}

// What the thread runs. Closing `wake` notifies the side that waits.
inline void start_program(std::shared_ptr<process_start> start, int wake) {
    spawn_process(*start);
    const pid_t child = start->child;
    if (!start->decide(process_start::complete) && start->failure == 0) reap_killed(child);
    ::close(wake);
}

}  // namespace kcontrol::detail

// Starting a program: the descriptors it begins with, and how the child begins.
#pragma once

#include <kcontrol/runtime/impl/file_descriptor.hpp>
#include <kcontrol/runtime/process.hpp>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <string>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>
#include <vector>

namespace kcontrol::inline v0_1::detail {

// The child's standard streams and our ends of its outputs.
struct process_streams {
    // Returns errno, or 0.
    int open(const process_command& command) {
        if (const int failure = command.terminal() ? share_terminal() : write_input(command.input())) return failure;
        if (const int failure = open_pipe(output, child_output)) return failure;
        return open_pipe(errors, child_errors);
    }

    owned_fd input, child_output, child_errors;  // the child's
    owned_fd output, errors;                     // ours

private:
    int share_terminal() { return input.reset(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)) ? 0 : errno; }

    // A file in memory, so nothing has to be written while the program runs, whether it reads or not.
    int write_input(const std::string& text) {
        if (!input.reset(::memfd_create("input", MFD_CLOEXEC))) return errno;
        for (std::size_t at = 0; at < text.size();) {
            const ssize_t n = ::write(input.get(), text.data() + at, text.size() - at);
            if (n < 0 && errno != EINTR) return errno;
            if (n > 0) at += static_cast<std::size_t>(n);
        }
        ::lseek(input.get(), 0, SEEK_SET);
        return 0;
    }

    static int open_pipe(owned_fd& ours, owned_fd& childs) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) return errno;
        ours.reset(ends[0]);
        childs.reset(ends[1]);
        return 0;
    }
};

inline std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> out;
    out.reserve(texts.size() + 1);
    for (auto& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

// Returns errno, or 0 and the child. posix_spawn, so that the child runs none of our code and shares our memory instead
// of copying its page tables, which takes 20 ms a gigabyte: standard streams, no other descriptor, default signals, a
// process group of its own unless it has the terminal: the system suspends who reads there from another group. It
// returns when the child has begun to execute the program.
inline int spawn_process(const process_command& command, const process_streams& streams, bool in_place, pid_t& child) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_adddup2(&actions, streams.input.get(), 0);
    ::posix_spawn_file_actions_adddup2(&actions, streams.child_output.get(), 1);
    ::posix_spawn_file_actions_adddup2(&actions, streams.child_errors.get(), 2);
    ::posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    if (!in_place) ::posix_spawn_file_actions_addchdir_np(&actions, "/");
    sigset_t all, none;
    ::sigfillset(&all);
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    const int group = command.terminal() ? 0 : POSIX_SPAWN_SETPGROUP;
    ::posix_spawnattr_setflags(&attributes, static_cast<short>(group | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK));
    std::vector<std::string> texts = command.arguments();
    std::vector<std::string> variables;
    for (const auto& [name, value] : command.variables()) {
        variables.push_back(name);
        variables.back().append("=").append(value);
    }
    const auto arguments = pointers_to(texts);
    const auto environment = pointers_to(variables);
    const int failure =
        ::posix_spawn(&child, arguments.front(), &actions, &attributes, arguments.data(), environment.data());
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    return failure;
}

}  // namespace kcontrol::detail

#include "child.hpp"

#include <kcontrol/base/log.hpp>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace kcontrol_apiserver {
namespace {

// Without those by which a program would find the cluster that this process may run in.
std::vector<std::string> variables_with(const std::string& kubeconfig) {
    std::vector<std::string> out{"KUBECONFIG=" + kubeconfig};
    for (char** each = ::environ; each != nullptr && *each != nullptr; ++each) {
        const std::string_view text = *each;
        const auto name = text.substr(0, text.find('='));
        if (name == "KUBECONFIG" || name == "KUBERNETES_SERVICE_HOST" || name == "KUBERNETES_SERVICE_PORT") continue;
        out.emplace_back(text);
    }
    return out;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (auto& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

}  // namespace

child::~child() {
    if (ended()) return;
    signal(SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

kcontrol::result<void> child::start(std::vector<std::string> arguments, const std::string& kubeconfig,
                                    const std::string& output) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
    ::posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    sigset_t all, none;
    ::sigfillset(&all);
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    auto variables = variables_with(kubeconfig);
    const auto argv = pointers_to(arguments);
    const auto envp = pointers_to(variables);
    const int failure = ::posix_spawnp(&pid_, argv.front(), &actions, &attributes, argv.data(), envp.data());
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failure == 0) return {};
    pid_ = -1;
    return kcontrol::error(kcontrol::errc::file_failed,
                           "\"" + kcontrol::escape_control(arguments.front()) + "\" can't be started: " +
                               std::strerror(failure) + "; name a program of PATH, or its path, such as ./my_operator");
}

bool child::ended() {
    if (pid_ <= 0) return true;
    siginfo_t found{};
    if (::waitid(P_PID, static_cast<id_t>(pid_), &found, WEXITED | WNOHANG | WNOWAIT) == 0 && found.si_pid == 0) {
        return false;
    }
    signal(SIGKILL);  // while its number is still taken, so that nobody else's group has it
    while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return true;
}

void child::signal(int number) {
    if (pid_ > 0) ::kill(-pid_, number);
}

std::string child::how() const {
    if (WIFEXITED(status_)) return "with status " + std::to_string(WEXITSTATUS(status_));
    const int number = WTERMSIG(status_);
    return "by signal " + std::to_string(number) + " (" + ::strsignal(number) + ")";
}

}  // namespace kcontrol_apiserver

#include "memory/state_lock.hpp"

#include <kcontrol/base/log.hpp>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace training_monitor {

using kcontrol::errc;
using kcontrol::error;

kcontrol::result<std::unique_ptr<state_lock>> state_lock::take(const std::string& state) {
    const std::string path = state + ".lock";
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) {
        return error(errc::file_failed, "state file " + state + ": " + path + " can't be created (" +
                                            std::strerror(errno) +
                                            "): the directory must exist, and this user be able to write there");
    }
    auto out = std::unique_ptr<state_lock>(new state_lock(fd));
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
        char pid[32] = "";
        const auto size = ::pread(fd, pid, sizeof pid - 1, 0);
        return error(errc::file_failed, "state file " + state + ": another training_monitor (process " +
                                            kcontrol::escape_control(
                                                std::string_view(pid, size > 0 ? static_cast<std::size_t>(size) : 0)) +
                                            ") uses it: end that one, or give another --state FILE");
    }
    const std::string pid = std::to_string(::getpid());
    // The number is for the message above only.
    if (::ftruncate(fd, 0) == 0) static_cast<void>(!::pwrite(fd, pid.data(), pid.size(), 0));
    return out;
}

state_lock::~state_lock() { ::close(fd_); }

}  // namespace training_monitor

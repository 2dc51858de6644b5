// A file descriptor that closes itself, and what is said when the system refuses a file.
#pragma once

#include <kcontrol/base/error.hpp>

#include <string>
#include <unistd.h>
#include <utility>

namespace kcontrol::inline v0_1::detail {

class owned_fd {
public:
    owned_fd() = default;
    explicit owned_fd(int fd) noexcept : fd_(fd) {}
    ~owned_fd() { reset(-1); }
    owned_fd(const owned_fd&) = delete;
    owned_fd& operator=(const owned_fd&) = delete;
    int get() const noexcept { return fd_; }
    int release() noexcept { return std::exchange(fd_, -1); }
    /// Takes that one instead; false if it is none.
    bool reset(int fd) noexcept {
        if (fd_ >= 0) ::close(fd_);
        fd_ = fd;
        return fd >= 0;
    }

private:
    int fd_ = -1;
};

inline error file_error(const std::string& what, const std::string& path, int number) {
    return error(errc::file_failed,
                 what + " " + path + ": " + error_code(number, boost::system::system_category()).message());
}

}  // namespace kcontrol::detail

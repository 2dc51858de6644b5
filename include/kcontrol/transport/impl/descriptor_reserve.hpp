// One descriptor more than is needed, for when the system has none left.
#pragma once

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace kcontrol::inline v0_1::http::detail {

/// Holds a descriptor that stands for nothing, so that one can be had when others have taken all.
///
/// Thread-safety: shared objects unsafe. What spends it should use the descriptor at once, or another thread may.
class descriptor_reserve {
public:
    descriptor_reserve() = default;
    ~descriptor_reserve() { spend(); }
    descriptor_reserve(const descriptor_reserve&) = delete;
    descriptor_reserve& operator=(const descriptor_reserve&) = delete;

    /// Nothing happens if it holds one, or if there is none to be had.
    void take() noexcept {
        if (held_ != -1) return;
        held_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
        if (held_ != -1) ::fcntl(held_, F_SETFD, FD_CLOEXEC);
    }

    /// One is free now. False: it was spent before.
    bool spend() noexcept {
        if (held_ == -1) return false;
        ::close(std::exchange(held_, -1));
        return true;
    }

private:
    int held_ = -1;
};

}  // namespace kcontrol::http::detail

#pragma once

#include <kcontrol/service/detail/private_file.hpp>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::service::detail {

// Closes itself.
class private_descriptor {
public:
    explicit private_descriptor(int fd) noexcept : fd_(fd) {}
    ~private_descriptor() { close(); }
    private_descriptor(const private_descriptor&) = delete;
    private_descriptor& operator=(const private_descriptor&) = delete;
    int get() const noexcept { return fd_; }
    bool close() noexcept {
        const int fd = std::exchange(fd_, -1);
        return fd < 0 || ::close(fd) == 0;
    }

private:
    int fd_;
};

inline error private_file_error(const std::string& path, const std::string& what, int number = 0) {
    std::string text = "file " + path + ": " + what;
    if (number != 0) text += ": " + error_code(number, boost::system::system_category()).message();
    return error(errc::file_failed, std::move(text));
}

inline std::optional<error> refuse_file(const std::string& path, const struct stat& about) {
    if (!S_ISREG(about.st_mode)) return private_file_error(path, "it is no regular file");
    if (about.st_uid != ::geteuid()) return private_file_error(path, "it belongs to another user");
    if ((about.st_mode & (S_IWGRP | S_IWOTH)) != 0) return private_file_error(path, "other users may write it");
    return std::nullopt;
}

KCONTROL_DECL result<std::optional<std::string>> read_private_file(const std::string& path, std::size_t most) {
    // Not blocking: what is there may be a pipe.
    const private_descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file.get() < 0 && errno == ENOENT) return std::optional<std::string>();
    if (file.get() < 0 && errno == ELOOP) return private_file_error(path, "it is a link");
    if (file.get() < 0) return private_file_error(path, "it can't be opened", errno);
    struct stat about {};
    if (::fstat(file.get(), &about) != 0) return private_file_error(path, "it can't be read", errno);
    if (auto refused = refuse_file(path, about)) return std::move(*refused);
    std::string text;
    std::vector<char> piece(std::size_t{64} << 10);
    for (;;) {
        const auto count = ::read(file.get(), piece.data(), piece.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return private_file_error(path, "it can't be read", errno);
        if (count == 0) return std::optional<std::string>(std::move(text));
        text.append(piece.data(), static_cast<std::size_t>(count));
        if (text.size() > most) {
            return error(errc::too_large, "file " + path + ": it has more than " + std::to_string(most) + " bytes");
        }
    }
}

inline bool write_whole(int file, std::string_view text) {
    while (!text.empty()) {
        const auto count = ::write(file, text.data(), text.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

KCONTROL_DECL result<void> replace_private_file(const std::string& path, std::string_view text) {
    // A name of its own: two programs with one path replace each other's file, and never mix the two. mkostemp creates
    // it with mode 0600.
    std::string fresh = path + ".XXXXXX";
    private_descriptor file(::mkostemp(fresh.data(), O_CLOEXEC));
    if (file.get() < 0) return private_file_error(path, "it can't be written", errno);
    if (write_whole(file.get(), text) && file.close() && std::rename(fresh.c_str(), path.c_str()) == 0) return {};
    const int why = errno;
    ::unlink(fresh.c_str());
    return private_file_error(path, "it can't be written", why);
}

}  // namespace kcontrol::service::detail

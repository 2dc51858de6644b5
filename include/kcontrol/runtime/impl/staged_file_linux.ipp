#pragma once

#include <kcontrol/runtime/staged_file.hpp>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

inline error file_replacement_error(const std::string& path, const char* what, const char* remedy) {
    return error(errc::file_failed, path + ": " + what + ": " + std::strerror(errno) + remedy);
}

// All of it, and on the disk: after a power failure an empty file would be worse than an old one.
inline bool write_through(int file, std::string_view text) {
    while (!text.empty()) {
        const auto n = ::write(file, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return ::fsync(file) == 0;
}

inline std::string without_links(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
    return real ? std::string(real.get()) : path;
}

}  // namespace detail

KCONTROL_DECL result<staged_file> staged_file::write(const std::string& path, std::string_view text) {
    const std::string target = detail::without_links(path);
    struct stat before {};
    const bool is_there = ::stat(target.c_str(), &before) == 0;
    if (is_there && !S_ISREG(before.st_mode)) {  // replacing /dev/null would harm the machine
        return error(errc::file_failed, path + ": it is no regular file; choose another path");
    }
    const auto slash = target.rfind('/');
    const auto folder = slash == target.npos ? std::string() : target.substr(0, slash + 1);
    const std::string staged = folder + ".kcontrol-" + target.substr(folder.size());
    ::unlink(staged.c_str());  // of a run that was killed; its mode may be another
    const int file = ::open(staged.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (file < 0)
        return detail::file_replacement_error(staged, "can't be written", "; let this program write to that directory");
    staged_file out(staged, target);
    if (is_there) {
        // Only root may give a file away; others keep what they can.
        if (::fchown(file, before.st_uid, before.st_gid) != 0 && ::fchown(file, uid_t(-1), before.st_gid) != 0) {
        }
        ::fchmod(file, before.st_mode & 0777);
    }
    const bool written = detail::write_through(file, text);
    const auto why = errno;
    const bool closed = ::close(file) == 0;
    if (!written) errno = why;
    if (!written || !closed) return detail::file_replacement_error(staged, "can't be written", "; is the disk full?");
    return out;
}

KCONTROL_DECL staged_file::staged_file(staged_file&& other) noexcept
    : staged_(std::exchange(other.staged_, {})), target_(std::move(other.target_)) {}

KCONTROL_DECL staged_file::~staged_file() {
    if (!staged_.empty()) ::unlink(staged_.c_str());
}

KCONTROL_DECL result<void> staged_file::commit() {
    if (::rename(staged_.c_str(), target_.c_str()) != 0) {
        return detail::file_replacement_error(target_, "can't be replaced",
                                              "; let this program write to its directory");
    }
    staged_.clear();
    return {};
}

KCONTROL_DECL result<void> replace_file(const std::string& path, std::string_view text) {
    auto fresh = staged_file::write(path, text);
    if (!fresh) return fresh.error();
    return fresh->commit();
}

}  // namespace kcontrol

#include "files/replace_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gpu_labeler {
namespace {

kcontrol::error failed(const std::string& path, const char* what) {
    return kcontrol::error(kcontrol::errc::file_failed, path + ": " + what + ": " + std::strerror(errno));
}

// All of it, and on the disk.
bool write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const auto n = ::write(file, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return ::fsync(file) == 0;
}

}  // namespace

kcontrol::result<void> replace_file(const std::string& path, std::string_view text) {
    const auto slash = path.rfind('/');
    const auto folder = slash == path.npos ? std::string() : path.substr(0, slash + 1);
    const auto fresh = folder + ".kcontrol-gpu-labeler-" + path.substr(folder.size());
    const int file = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (file < 0) return failed(fresh, "can't be written");
    const bool written = write_all(file, text);
    const auto why = errno;
    const bool closed = ::close(file) == 0;
    if (!written) errno = why;
    if (written && closed && ::rename(fresh.c_str(), path.c_str()) == 0) return {};
    const auto failure = failed(path, "can't be replaced");
    ::unlink(fresh.c_str());
    return failure;
}

}  // namespace gpu_labeler

#pragma once

#include <kcontrol/runtime/impl/file_descriptor.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/runtime/timer.hpp>

#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kcontrol::inline v0_1 {
namespace detail {

// Reads until the end or until `out` holds more than `max_bytes`. Returns errno, or 0.
inline int read_all(int fd, std::size_t max_bytes, std::string& out) {
    char buffer[16384];
    while (out.size() <= max_bytes) {
        const ssize_t n = ::read(fd, buffer, sizeof buffer);
        if (n == 0) return 0;
        if (n < 0 && errno != EINTR) return errno;
        if (n > 0) out.append(buffer, static_cast<std::size_t>(n));
    }
    return 0;
}

class system_timer final : public timer {
public:
    explicit system_timer(const executor& ex) : timer_(ex) {}

    void async_wait(time_point when, boost::asio::any_completion_handler<void(bool expired)> handler) override {
        timer_.expires_at(std::chrono::steady_clock::time_point(when.time_since_epoch()));
        timer_.async_wait([h = std::move(handler)](const error_code& failure) mutable { std::move(h)(!failure); });
    }

    void cancel() override { timer_.cancel(); }

private:
    boost::asio::steady_timer timer_;
};

// One step of splitmix64, which spreads a seed over the generator's state.
inline std::uint64_t splitmix64(std::uint64_t& x) noexcept {
    std::uint64_t z = (x += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

}  // namespace detail

KCONTROL_DECL system_environment::system_environment() {
    std::uint64_t seed = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    std::uint64_t bytes = 0;
    const detail::owned_fd source(::open("/dev/urandom", O_RDONLY | O_CLOEXEC));
    if (source.get() >= 0 && ::read(source.get(), &bytes, sizeof bytes) == sizeof bytes) seed ^= bytes;
    for (auto& word : state_) word = detail::splitmix64(seed);
}

KCONTROL_DECL time_point system_environment::now() const noexcept {
    return time_point(std::chrono::steady_clock::now().time_since_epoch());
}

KCONTROL_DECL time_point system_environment::boot_now() const noexcept {
    timespec at{};
    if (::clock_gettime(CLOCK_BOOTTIME, &at) != 0) return now();  // Linux has it since 2.6.39
    return time_point(std::chrono::seconds(at.tv_sec) + duration(at.tv_nsec));
}

KCONTROL_DECL wall_time system_environment::wall_now() const noexcept {
    return std::chrono::time_point_cast<duration>(std::chrono::system_clock::now());
}

KCONTROL_DECL std::uint64_t system_environment::random() {
    const std::lock_guard lock(mutex_);
    // xoshiro256** 1.0, https://prng.di.unimi.it/xoshiro256starstar.c
    const std::uint64_t out = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return out;
}

KCONTROL_DECL std::unique_ptr<timer> system_environment::make_timer(const executor& ex) {
    return std::make_unique<detail::system_timer>(ex);
}

namespace detail {

inline result<std::string> read_open_file(int fd, const std::string& path, std::size_t max_bytes) {
    std::string out;
    if (const int failure = read_all(fd, max_bytes, out)) return file_error("can't read", path, failure);
    if (out.size() > max_bytes) {
        return error(errc::too_large, path + " is larger than " + std::to_string(max_bytes) + " bytes");
    }
    return out;
}

inline file_kind file_kind_of(mode_t mode) {
    if (S_ISREG(mode)) return file_kind::regular;
    if (S_ISDIR(mode)) return file_kind::directory;
    if (S_ISFIFO(mode)) return file_kind::fifo;
    return S_ISSOCK(mode) ? file_kind::socket : file_kind::device;
}

}  // namespace detail

KCONTROL_DECL result<std::string> system_environment::read_file(const std::string& path, std::size_t max_bytes) {
    const detail::owned_fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) return detail::file_error("can't open", path, errno);
    return detail::read_open_file(file.get(), path, max_bytes);
}

KCONTROL_DECL result<std::string> system_environment::read_regular_file(const std::string& path,
                                                                        std::size_t max_bytes) {
    // A FIFO without a writer would block the opening.
    const detail::owned_fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (file.get() < 0) return detail::file_error("can't open", path, errno);
    struct stat info {};
    if (::fstat(file.get(), &info) != 0) return detail::file_error("can't read", path, errno);
    if (!S_ISREG(info.st_mode)) return error(errc::file_failed, "can't read " + path + ": it is no regular file");
    return detail::read_open_file(file.get(), path, max_bytes);
}

KCONTROL_DECL result<std::vector<std::string>> system_environment::list_directory(const std::string& path) {
    auto all = list_entries(path);
    if (!all) return all.error();
    std::vector<std::string> names;
    for (auto& one : *all) {
        if (one.kind == file_kind::regular) names.push_back(std::move(one.name));
    }
    return names;
}

KCONTROL_DECL result<std::vector<directory_entry>> system_environment::list_entries(const std::string& path) {
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), &::closedir);
    if (!directory) return detail::file_error("can't list", path, errno);
    std::vector<directory_entry> all;
    for (;;) {
        errno = 0;
        const dirent* entry = ::readdir(directory.get());
        if (!entry) break;
        const std::string_view name = entry->d_name;
        if (name == "." || name == "..") continue;
        struct stat info {};
        // A file that vanished since readdir, or a dangling link, is not there.
        if (::fstatat(::dirfd(directory.get()), entry->d_name, &info, 0) != 0) continue;
        all.emplace_back(entry->d_name, detail::file_kind_of(info.st_mode));
    }
    if (errno != 0) return detail::file_error("can't list", path, errno);
    std::sort(all.begin(), all.end(),
              [](const directory_entry& a, const directory_entry& b) { return a.name < b.name; });
    return all;
}

KCONTROL_DECL std::optional<std::string> system_environment::variable(const std::string& name) const {
    const char* value = std::getenv(name.c_str());
    if (!value) return std::nullopt;
    return std::string(value);
}

KCONTROL_DECL std::map<std::string, std::string> system_environment::all_variables() const {
    std::map<std::string, std::string> out;
    for (char** one = ::environ; one && *one; ++one) {
        const std::string_view text = *one;
        const auto equals = text.find('=');
        if (equals != std::string_view::npos && equals != 0) {
            out.emplace(text.substr(0, equals), text.substr(equals + 1));
        }
    }
    return out;
}

}  // namespace kcontrol

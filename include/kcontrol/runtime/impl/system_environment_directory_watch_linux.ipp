#pragma once

#include <kcontrol/runtime/impl/file_descriptor.hpp>
#include <kcontrol/runtime/system_environment.hpp>

#include <boost/asio/posix/stream_descriptor.hpp>

#include <cerrno>
#include <cstdint>
#include <functional>
#include <memory>
#include <sys/inotify.h>
#include <unistd.h>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

// The part of a watch that a pending wait keeps alive.
struct inotify_reader : std::enable_shared_from_this<inotify_reader> {
    inotify_reader(const executor& ex, int fd) : descriptor(ex, fd) {}

    void start(std::function<void()> call) {
        on_change = std::move(call);
        if (waiting == 0) wait();
    }

    void wait() {
        waiting = ++waits;
        descriptor.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                              [self = shared_from_this(), number = waiting](const error_code& failure) {
                                  if (self->waiting != number) return;  // it was stopped
                                  self->waiting = 0;
                                  if (!failure) self->ready();
                              });
    }

    void ready() {
        // Everything that has piled up is one burst. The events themselves don't matter: the caller looks again.
        char buffer[4096];
        while (::read(descriptor.native_handle(), buffer, sizeof buffer) > 0) {
        }
        const auto call = on_change;  // the callee may stop the watch
        call();
        if (on_change && waiting == 0) wait();
    }

    void stop() {
        on_change = nullptr;
        waiting = 0;
        error_code ignored;
        descriptor.cancel(ignored);
    }

    void close() {
        stop();
        error_code ignored;
        descriptor.close(ignored);
    }

    boost::asio::posix::stream_descriptor descriptor;
    std::function<void()> on_change;  // empty: stopped
    std::uint64_t waits = 0;          // begun
    std::uint64_t waiting = 0;        // the number of the one that counts, or 0
};

class inotify_watch final : public directory_watch {
public:
    inotify_watch(const executor& ex, int fd) : reader_(std::make_shared<inotify_reader>(ex, fd)) {}
    ~inotify_watch() override { reader_->close(); }

    void start(std::function<void()> on_change) override { reader_->start(std::move(on_change)); }
    void stop() override { reader_->stop(); }

private:
    std::shared_ptr<inotify_reader> reader_;
};

}  // namespace detail

KCONTROL_DECL result<std::unique_ptr<directory_watch>> system_environment::watch_directory(const executor& ex,
                                                                                           const std::string& path) {
    detail::owned_fd notify(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    if (notify.get() < 0) return detail::file_error("can't watch", path, errno);
    constexpr std::uint32_t mask = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE | IN_ATTRIB |
                                   IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
    if (::inotify_add_watch(notify.get(), path.c_str(), mask) < 0) {
        return detail::file_error("can't watch", path, errno);
    }
    return std::unique_ptr<directory_watch>(std::make_unique<detail::inotify_watch>(ex, notify.release()));
}

}  // namespace kcontrol

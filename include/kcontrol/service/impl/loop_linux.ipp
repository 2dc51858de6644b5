#pragma once

#include <kcontrol/service/detail/loop.hpp>

#include <boost/asio/detail/reactor.hpp>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <pthread.h>
#include <string>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

namespace kcontrol::inline v0_1::service::detail {

#if defined(BOOST_ASIO_HAS_EPOLL) && defined(BOOST_ASIO_HAS_TIMERFD) && !defined(BOOST_ASIO_HAS_IO_URING_AS_DEFAULT)
#define KCONTROL_SERVICE_HAS_EPOLL 1

// Asio keeps everything that it waits for, timers included (as a timerfd), in one epoll descriptor, and gives no access
// to it. An explicit instantiation may name a private member ([temp.spec.general]/6), and hands it out by a friend.
// tests/service/connection_test.cpp notices if Asio no longer works like this.
int epoll_descriptor_of(const boost::asio::detail::epoll_reactor& reactor);
template <int boost::asio::detail::epoll_reactor::*Member>
struct epoll_descriptor {
    friend int epoll_descriptor_of(const boost::asio::detail::epoll_reactor& reactor) { return reactor.*Member; }
};
template struct epoll_descriptor<&boost::asio::detail::epoll_reactor::epoll_fd_>;
#endif

KCONTROL_DECL result<int> loop::fd() const {
    if (own_thread_) {
        return error(errc::invalid_argument,
                     "this connection has a thread of its own: a descriptor is for one that was opened with "
                     "connection_options::thread(false)");
    }
#ifdef KCONTROL_SERVICE_HAS_EPOLL
    using boost::asio::detail::epoll_reactor;
    return epoll_descriptor_of(boost::asio::use_service<epoll_reactor>(
        static_cast<boost::asio::execution_context&>(const_cast<context&>(context_))));
#else
    return error(errc::unavailable,
                 "this build of Asio has no epoll descriptor to poll: use connection_options::thread(true), or call "
                 "dispatch() with a timeout");
#endif
}

inline error no_resources(const char* what, int number) {
    return error(errc::unavailable,
                 std::string(what) + ": " + std::error_code(number, std::generic_category()).message());
}

inline result<void> loop::start_thread() {
    // The new thread inherits the mask: the program's signals are for its own threads.
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = 0;
    driven_ = true;
    try {
        thread_.emplace([this] {  // seam: ok, the connection's own thread, if the program wants one
            ::pthread_setname_np(::pthread_self(), "kcontrol");
            while (!context_.stopped()) run_one([this] { return context_.run(); });
        });
    } catch (const std::system_error& e) {
        failure = e.code().value();
        driven_ = false;
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (failure != 0) return no_resources("the connection's thread can't be started", failure);
    return {};
}

inline result<void> loop::open_waker() {
    const int made = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (made < 0) return no_resources("the connection's descriptor can't be opened", errno);
    boost::system::error_code failed;
    waker_.assign(made, failed);
    if (failed) {
        ::close(made);
        return no_resources("the connection's descriptor can't be watched", failed.value());
    }
    await_wake();
    return {};
}

inline void loop::close_waker() noexcept {
    boost::system::error_code ignored;
    waker_.cancel(ignored);
}

inline void loop::wake() noexcept {
    if (own_thread_ || woken_.exchange(true)) return;
    const std::uint64_t one = 1;
    // It fails only when the counter is full, which is readable, too.
    [[maybe_unused]] const auto written = ::write(waker_.native_handle(), &one, sizeof one);
}

inline void loop::await_wake() {
    waker_.async_wait(waker_.wait_read, [this](const boost::system::error_code& failed) {
        if (failed) return;
        std::uint64_t count = 0;
        [[maybe_unused]] const auto got = ::read(waker_.native_handle(), &count, sizeof count);
        // After that: a wake() before it has written, or else its work was queued before this, and runs next.
        woken_ = false;
        await_wake();
    });
}

}  // namespace kcontrol::service::detail

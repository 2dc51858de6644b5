#pragma once

#include <kcontrol/transport/impl/byte_stream.hpp>

#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace kcontrol::inline v0_1::http::detail {

KCONTROL_DECL void prepare_socket(tcp::socket& socket, bool client) noexcept {
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    const int fd = socket.native_handle();
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    // A peer that vanished without closing is detected within 30 s: the reliability of long watches rests on it.
    const auto set = [fd](int level, int name, int value) { ::setsockopt(fd, level, name, &value, sizeof value); };
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, 15);
    set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
    set(IPPROTO_TCP, TCP_KEEPCNT, 3);
    // Not on the server's side: there, a reader may be slow, and write_timeout says how slow. What it does not take
    // stays with us, where it is counted: a system's buffer may grow to megabytes, which are the container's memory as
    // well. What is on its way is not limited by this, so it costs no speed.
    if (client) set(IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000);
    if (!client) set(IPPROTO_TCP, TCP_NOTSENT_LOWAT, 32 << 10);
}

}  // namespace kcontrol::http::detail

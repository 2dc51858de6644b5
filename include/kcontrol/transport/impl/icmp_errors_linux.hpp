// Learning that a datagram did not arrive.
//
// A socket reports such an error once, to whatever comes next. Where that is the sending of another question, the first
// would wait for its time in vain; a DNS server on this machine that is down answers that fast. So the error is asked
// to stay in a queue, as glibc's resolver has it.
#pragma once

#include <array>
#include <cstddef>
#include <linux/errqueue.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace kcontrol::inline v0_1::http::detail {

/// Keeps errors, if the socket is one of UDP.
inline void keep_icmp_errors(int socket, bool ipv6) noexcept {
    int type = 0;
    socklen_t size = sizeof type;
    if (::getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_DGRAM) return;
    const int on = 1;
    ::setsockopt(socket, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP, ipv6 ? IPV6_RECVERR : IP_RECVERR, &on, sizeof on);
}

/// Whether there is one; takes it.
inline bool take_icmp_error(int socket) noexcept {
    std::array<std::byte, 512> control{};
    msghdr message{};
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    return ::recvmsg(socket, &message, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0;
}

}  // namespace kcontrol::http::detail

// One question to one DNS server, through c-ares on the host's loop; and the hosts file.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/transport/impl/dns_search.hpp>

#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::http::detail {

using host_addresses = std::vector<boost::asio::ip::tcp::endpoint>;

class cares_channel;

/// Asks for the A and AAAA records of a name, over UDP and, where an answer does not fit, over TCP. If time is up and
/// one of the two has come, that is the answer.
///
/// c-ares has the sockets, which are watched on the executor, and no clock: the environment's timer ends a question.
/// Destroying it withdraws the question; its call does not come then.
///
/// Thread-safety: shared objects unsafe; use it on its executor.
class dns_question : public std::enable_shared_from_this<dns_question> {
public:
    /// Asks. Where that fails at once, over() is true and `answered` is not called; else it is called when it is over,
    /// and may destroy the question.
    KCONTROL_DECL static std::shared_ptr<dns_question> ask(environment& env, executor ex,
                                                           const dns_search::question& what,
                                                           std::function<void()> answered);
    KCONTROL_DECL ~dns_question();
    dns_question(const dns_question&) = delete;
    dns_question& operator=(const dns_question&) = delete;

    bool over() const noexcept { return over_; }
    dns_answer answer() const noexcept { return answer_; }
    /// In the order in which they are to be tried (RFC 6724), with port 0.
    const host_addresses& addresses() const noexcept { return addresses_; }

    dns_question(environment& env, executor ex, std::function<void()> answered);  // use ask()

private:
    struct hooks;  // what c-ares calls
    struct socket_watch;

    void begin(const dns_search::question& what);
    void give_up(dns_answer answer);
    void process(int readable, int writable);
    void expired();
    void watch(int socket, bool readable, bool writable);
    void wait_readable(const std::shared_ptr<socket_watch>& w);
    void wait_writable(const std::shared_ptr<socket_watch>& w);

    executor ex_;
    std::function<void()> answered_;
    std::unique_ptr<timer> timer_;
    std::vector<std::shared_ptr<socket_watch>> watches_;
    bool ipv6_ = false;  // the server
    bool over_ = false;
    bool unwatched_ = false;  // a socket could not be watched
    dns_answer answer_ = dns_answer::none;
    host_addresses addresses_;
    std::unique_ptr<cares_channel> channel_;
};

/// What the hosts file says: /etc/hosts, or the one that the variable CARES_HOSTS names, as it is now, in the order of
/// RFC 6724. "localhost" is this machine even where the file does not say so.
KCONTROL_DECL host_addresses read_hosts_file(environment& env, const std::string& host);

}  // namespace kcontrol::http::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/transport/impl/dns_question.ipp>
#endif

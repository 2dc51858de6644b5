// Looking a host name up without waiting for it.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace kcontrol::http::detail {

/// One look-up by the system, on a thread of its own. Nothing can interrupt getaddrinfo(), which takes tens of seconds
/// where no name server answers. Asio's resolver has one thread for the whole context: there, one such name keeps every
/// other name waiting, and the context's end, too.
///
/// Thread-safety: shared objects unsafe; use it on its executor. Object lifetime: it may be destroyed at any time; the
/// thread ends by itself and touches nothing of the library's but its own record.
class host_lookup : public std::enable_shared_from_this<host_lookup> {
public:
    /// Begins; on failure (no thread, no descriptors) it is done at once and failed.
    KCONTROL_DECL static std::shared_ptr<host_lookup> start(executor ex, const std::string& host, std::uint16_t port);

    bool done() const noexcept { return done_; }

    /// The addresses; waits for them until `deadline` or `stop`. Errors: name_not_found, timeout, stopped.
    KCONTROL_DECL awaitable<result<std::vector<boost::asio::ip::tcp::endpoint>>> wait(environment& env,
                                                                                      time_point deadline,
                                                                                      std::stop_token stop);

    explicit host_lookup(executor ex);  // use start()

private:
    struct record;
    void begin();
    void finish();

    boost::asio::posix::stream_descriptor ended_;
    std::shared_ptr<record> record_;
    async_event ready_;
    bool done_ = false;
};

}  // namespace kcontrol::http::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/transport/impl/host_lookup.ipp>
#endif

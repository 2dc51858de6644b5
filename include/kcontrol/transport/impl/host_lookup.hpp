// Looking a host name up on the host's loop, without waiting for it.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/transport/impl/dns_question.hpp>
#include <kcontrol/transport/impl/dns_search.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace kcontrol::inline v0_1::http::detail {

/// One look-up: the hosts file first, then DNS as /etc/resolv.conf says. Both are read as they are now.
///
/// Thread-safety: shared objects unsafe; use it on its executor. Object lifetime: it may be destroyed at any time, and
/// withdraws its question then; the environment outlives it.
class host_lookup : public std::enable_shared_from_this<host_lookup> {
public:
    /// Begins; it may be done at once.
    KCONTROL_DECL static std::shared_ptr<host_lookup> start(environment& env, executor ex, const std::string& host,
                                                            std::uint16_t port);

    bool done() const noexcept { return done_; }

    /// The addresses, in the order in which to try them; waits for them until `deadline` or `stop`. Errors:
    /// name_not_found, timeout, stopped.
    KCONTROL_DECL awaitable<result<host_addresses>> wait(time_point deadline, std::stop_token stop);

    host_lookup(environment& env, executor ex, const std::string& host, std::uint16_t port);  // use start()

private:
    void begin();
    void ask();
    void finish(host_addresses found);

    environment& env_;
    executor ex_;
    std::string host_;
    std::uint16_t port_;
    std::optional<dns_search> search_;
    std::shared_ptr<dns_question> question_;
    host_addresses found_;
    async_event ready_;
    bool done_ = false;
};

}  // namespace kcontrol::http::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/transport/impl/host_lookup.ipp>
#endif

// The network of a simulation: hosts that serve an http::handler, and connections that can break in every way.
#pragma once

#include <kcontrol/http/handler.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/testing/sim_environment.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing {

namespace detail {
struct sim_exchange;
}

/// How a host can be reached.
enum class link_state {
    up,          ///< requests arrive
    refused,     ///< nobody listens: connection_refused
    black_hole,  ///< nothing ever comes back: requests end with their deadline
};

/// Carries requests between simulated hosts, one exchange a request. A latency is drawn for each request; its answer
/// takes no time. Pieces of a body arrive sliced at random places. Its hosts are all the names there are: no file and
/// no DNS is asked.
///
/// Thread-safety: shared objects unsafe; one thread. Object lifetime: outlives its transports and the handlers' runs.
class sim_network {
public:
    sim_network(sim_context& context, sim_environment& env);  ///< without a host; both outlive it
    ~sim_network();
    sim_network(const sim_network&) = delete;
    sim_network& operator=(const sim_network&) = delete;

    /// Serves `host` with a handler whose coroutines run on `ex`.
    void listen(const std::string& host, executor ex, http::handler handler);

    /// From the next request on; those in progress go on. Throws std::out_of_range if the host does not listen().
    void set_link(const std::string& host, link_state state);
    /// How long a request takes to the host, drawn for each. Default: 100 us to 5 ms. Throws std::out_of_range if the
    /// host does not listen().
    void set_latency(const std::string& host, duration least, duration most);

    /// Breaks every exchange with the host that is in progress, as RST does.
    void break_connections(const std::string& host);

    /// Makes every exchange in progress half-open: what the host sends from now on is lost without a sign.
    void freeze_connections(const std::string& host);

    /// Ends every streamed body in progress after the bytes already sent, without its proper end.
    void truncate_connections(const std::string& host);

    /// Requests that reached the host since the beginning.
    std::uint64_t requests(const std::string& host) const;
    /// Exchanges in progress with the host.
    std::size_t open_exchanges(const std::string& host) const;

    /// Makes transports on this network.
    http::transport_factory factory();

private:
    friend class sim_transport;
    struct host_entry {
        executor ex;
        http::handler handler;
        link_state link = link_state::up;
        duration latency_min = std::chrono::microseconds(100);
        duration latency_max = std::chrono::milliseconds(5);
        std::uint64_t requests = 0;
        std::vector<std::weak_ptr<detail::sim_exchange>> exchanges;
    };
    std::vector<std::shared_ptr<detail::sim_exchange>> live(const std::string& host) const;
    duration latency(const std::string& host);

    sim_context* context_;
    sim_environment* env_;
    std::map<std::string, host_entry> hosts_;
};

}  // namespace kcontrol::testing

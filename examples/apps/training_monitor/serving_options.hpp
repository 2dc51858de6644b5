// What the command line says about how much readers may cost, and where health is asked for.
#pragma once

#include <kcontrol/transport/listen_address.hpp>

#include "defaults.hpp"

#include <cstddef>
#include <utility>

namespace training_monitor {

class serving_options {
public:
    serving_options() { health_probe_bind_address_.enabled = false; }

    /// A port that answers /healthz and /readyz only.
    serving_options& health_probe_bind_address(kcontrol::http::listen_address a) {
        return health_probe_bind_address_ = std::move(a), *this;
    }
    serving_options& max_connections(std::size_t n) { return max_connections_ = n, *this; }
    /// 0: no limit.
    serving_options& max_connections_per_address(std::size_t n) { return max_per_address_ = n, *this; }
    serving_options& max_event_streams(std::size_t n) { return max_event_streams_ = n, *this; }

    const kcontrol::http::listen_address& health_probe_bind_address() const noexcept {
        return health_probe_bind_address_;
    }
    std::size_t max_connections() const noexcept { return max_connections_; }
    std::size_t max_connections_per_address() const noexcept { return max_per_address_; }
    std::size_t max_event_streams() const noexcept { return max_event_streams_; }

private:
    kcontrol::http::listen_address health_probe_bind_address_;
    std::size_t max_connections_ = defaults::max_connections;
    std::size_t max_per_address_ = 0;
    std::size_t max_event_streams_ = defaults::max_event_streams;
};

}  // namespace training_monitor

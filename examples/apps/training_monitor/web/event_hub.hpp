// The monitor's event stream: the present state, then `ready`, then every change, to any number of clients.
#pragma once

#include <kcontrol/serve/event_stream.hpp>

#include "table/job_table.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace training_monitor {

/// Thread-safety: shared objects unsafe; use it on the server's executor.
/// Object lifetime: outlives every serve() in progress, as do the environment and the table.
class event_hub {
public:
    event_hub(kcontrol::environment& env, job_table& table, kcontrol::http::event_stream_options options = {},
              kcontrol::logger log = {})
        : env_(env), table_(table), stream_(env, options, std::move(log)) {}

    /// Sends changes to every client, in order.
    void publish(const std::vector<change>& changes);

    /// Serves one client until it goes or falls too far behind, or says that there is no room for one more. `head` is
    /// sent as it is.
    kcontrol::awaitable<void> serve(kcontrol::http::responder& out, kcontrol::http::response_head head);

    std::size_t clients() const noexcept { return stream_.clients(); }
    /// How many clients were cut off or refused, and what is kept for those that are there.
    const kcontrol::http::event_stream& stream() const noexcept { return stream_; }

private:
    kcontrol::awaitable<kcontrol::result<void>> send_present(kcontrol::http::responder& out);

    kcontrol::environment& env_;
    job_table& table_;
    kcontrol::http::event_stream stream_;
};

}  // namespace training_monitor

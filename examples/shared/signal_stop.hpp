// SIGINT and SIGTERM of a program, as the end of what it does.
#pragma once

#include "shared/signal_calls.hpp"

#include <boost/asio/io_context.hpp>

#include <csignal>
#include <cstdlib>
#include <stop_token>

namespace examples {

/// The first signal stops the program in good order, the second at once, with exit status 1.
///
/// Thread-safety: none; it belongs to the context's thread. Object lifetime: context and stop source outlive it.
class signal_stop {
public:
    signal_stop(boost::asio::io_context& context, std::stop_source& stop)
        : signals_(context.get_executor(), {SIGINT, SIGTERM}, [&stop] {
              if (stop.stop_requested()) std::_Exit(1);
              stop.request_stop();
          }) {}
    void cancel() { signals_.cancel(); }

private:
    signal_calls signals_;
};

}  // namespace examples

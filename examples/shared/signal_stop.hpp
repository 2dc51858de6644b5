// SIGINT and SIGTERM of a program, as the end of what it does.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

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
        : signals_(context, SIGINT, SIGTERM), stop_(stop) {
        wait();
    }
    void cancel() { signals_.cancel(); }

private:
    void wait() {
        signals_.async_wait([this](boost::system::error_code error, int) {
            if (error) return;
            if (stop_.stop_requested()) std::_Exit(1);
            stop_.request_stop();
            wait();
        });
    }

    boost::asio::signal_set signals_;
    std::stop_source& stop_;
};

}  // namespace examples

// training_monitor: shows the training jobs of many clusters. This file wires the parts together.
#include <kcontrol/runtime/system_environment.hpp>

#include "monitor.hpp"
#include "options.hpp"
#include "output/live_output.hpp"
#include "output/log_sink.hpp"
#include "program.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <vector>

namespace {

namespace asio = boost::asio;

// The first signal stops the program in good order, the second at once.
class signal_stop {
public:
    signal_stop(asio::io_context& context, std::stop_source& stop) : signals_(context, SIGINT, SIGTERM), stop_(stop) {
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

    asio::signal_set signals_;
    std::stop_source& stop_;
};

int run(const training_monitor::options& o) {
    std::signal(SIGPIPE, SIG_IGN);
    kcontrol::system_environment env;
    asio::io_context context(1);
    std::stop_source stop;
    signal_stop signals(context, stop);
    int status = 1;
    asio::co_spawn(context, training_monitor::run_program(env, context.get_executor(), o, stop.get_token()),
                   [&](std::exception_ptr failure, int result) {
                       signals.cancel();
                       context.stop();  // what still lingers has been told to end
                       if (failure) std::rethrow_exception(failure);
                       status = result;
                   });
    context.run();
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string_view> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    const auto parsed = training_monitor::parse_options(arguments);
    if (!parsed) {
        std::fprintf(stderr, "training_monitor: %s\n", parsed.error().message().c_str());
        return 2;
    }
    if (parsed->help) {
        std::fputs(training_monitor::help_text().data(), stdout);
        return 0;
    }
    if (parsed->version) {
        std::puts("training_monitor " TRAINING_MONITOR_VERSION);
        return 0;
    }
    try {
        return run(*parsed);
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "training_monitor: %s\n", failure.what());
        return 1;
    }
}

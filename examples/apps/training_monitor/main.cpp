// training_monitor: shows the training jobs of many clusters. This file wires the parts together.
#include <kcontrol/runtime/core_dumps.hpp>
#include <kcontrol/runtime/signals.hpp>
#include <kcontrol/runtime/system_environment.hpp>

#include "memory/cluster_command.hpp"
#include "monitor.hpp"
#include "options.hpp"
#include "output/live_output.hpp"
#include "program.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string_view>
#include <vector>

namespace {

namespace asio = boost::asio;

int run(const training_monitor::options& o) {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of that write, not the end
    kcontrol::system_environment env;
    asio::io_context context(1);
    std::optional<asio::thread_pool> worker;  // starts its thread at once, so only where there is a file to write
    if (!o.state().file().empty()) worker.emplace(1);
    const kcontrol::executor background =
        worker ? kcontrol::executor(worker->get_executor()) : kcontrol::executor(context.get_executor());
    std::stop_source stop;
    kcontrol::signal_stop signals(context.get_executor(), stop);
    int status = 1;
    asio::co_spawn(context, training_monitor::run_program(env, context.get_executor(), background, o, stop.get_token()),
                   [&](std::exception_ptr failure, int result) {
                       signals.cancel();
                       context.stop();  // what still lingers was asked to stop
                       if (failure) std::rethrow_exception(failure);
                       status = result;
                   });
    context.run();
    return status;
}

int run_cluster_command(const std::vector<std::string_view>& arguments) {
    kcontrol::system_environment env;
    const auto done = training_monitor::run_cluster_command(env, {arguments.begin() + 1, arguments.end()});
    std::fputs(done.output.c_str(), stdout);
    std::fputs(done.errors.c_str(), stderr);
    return done.status;
}

}  // namespace

int main(int argc, char** argv) {
    kcontrol::forbid_core_dumps();  // it holds what opens clusters
    const std::vector<std::string_view> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    if (!arguments.empty() && arguments[0] == "cluster") return run_cluster_command(arguments);
    kcontrol::system_environment env;
    const auto parsed = training_monitor::parse_options(arguments, &env);
    if (!parsed) {
        std::fprintf(stderr, "training_monitor: %s\n", parsed.error().message().c_str());
        return 2;
    }
    if (parsed->help() || parsed->help_all()) {
        std::fputs((parsed->help_all() ? training_monitor::all_help_text() : training_monitor::help_text()).data(),
                   stdout);
        return 0;
    }
    if (parsed->version()) {
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

// gpu_labeler: what it is asked to do. This file wires the parts together.
#include <kcontrol/runtime/core_dumps.hpp>
#include <kcontrol/runtime/signals.hpp>
#include <kcontrol/runtime/system_environment.hpp>

#include "dry_run.hpp"
#include "options.hpp"
#include "program.hpp"
#include "schedule_command.hpp"
#include "service/live_settings.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <malloc.h>
#include <string_view>
#include <vector>

namespace {

void print(std::FILE* to, std::string_view text) { std::fwrite(text.data(), 1, text.size(), to); }

int usage_error(const kcontrol::error& what) {
    std::fprintf(stderr, "error: %s\n", what.message().c_str());
    return 2;
}

int schedule(const std::vector<std::string_view>& arguments) {
    const auto asks_help = [](std::string_view a) { return a == "--help" || a == "-h"; };
    if (std::any_of(arguments.begin(), arguments.end(), asks_help)) {
        print(stdout, gpu_labeler::schedule_help());
        return 0;
    }
    kcontrol::system_environment env;
    const auto lines = gpu_labeler::schedule_command(arguments, env.wall_now(), gpu_labeler::cron::time_zone::local());
    if (!lines) return usage_error(lines.error());
    print(stdout, *lines);
    return 0;
}

// A thread that is stuck in the driver holds on to its library: nothing may be torn down around it.
int leave(int status, bool hanging) {
    if (!hanging) return status;
    std::fflush(stdout);
    std::_Exit(status);
}

// Runs a coroutine that may be stopped by a signal to its end.
template <class Result, class Start>
Result run(Start start) {
    std::signal(SIGPIPE, SIG_IGN);
    boost::asio::io_context context(1);
    std::stop_source stop;
    kcontrol::signal_stop signals(context.get_executor(), stop);
    Result out;
    boost::asio::co_spawn(context, start(context.get_executor(), stop.get_token()),
                          [&](std::exception_ptr failure, Result done) {
                              signals.cancel();
                              context.stop();  // what still lingers was asked to stop
                              if (failure) std::rethrow_exception(failure);
                              out = std::move(done);
                          });
    context.run();
    return out;
}

int dry_run(kcontrol::environment& env, const gpu_labeler::options& o) {
    const auto report = run<gpu_labeler::dry_run_report>(
        [&](kcontrol::executor ex, std::stop_token stop) { return gpu_labeler::dry_run(env, ex, o, stop); });
    print(stdout, report.labels);
    print(stderr, report.notes);
    return leave(report.status, report.hanging);
}

kcontrol::awaitable<gpu_labeler::program_result> run_with_reloads(kcontrol::environment& env, kcontrol::executor ex,
                                                                  const gpu_labeler::options& o,
                                                                  gpu_labeler::reload_request& reloads,
                                                                  std::stop_token stop) {
    const kcontrol::signal_calls hang_up(ex, {SIGHUP}, [&reloads] { reloads.ask(); });
    auto done = co_await gpu_labeler::run_program(env, ex, o, stop, &reloads);
    co_return done;
}

// Without a file there is nothing to read again, and SIGHUP ends the program as any other.
int keep_labels(kcontrol::environment& env, const gpu_labeler::options& o,
                const std::vector<std::string_view>& arguments) {
    gpu_labeler::reload_request reloads([&] { return gpu_labeler::parse_options(arguments, env); });
    const auto done = run<gpu_labeler::program_result>([&](kcontrol::executor ex, std::stop_token stop) {
        return o.config_file().empty() ? gpu_labeler::run_program(env, ex, o, stop)
                                       : run_with_reloads(env, ex, o, reloads, stop);
    });
    return leave(done.status, done.hanging);
}

}  // namespace

int main(int argc, char** argv) {
    kcontrol::forbid_core_dumps();
    // NVML is asked on threads of their own. A heap for each, which glibc makes, would be memory that does next to
    // nothing.
    mallopt(M_ARENA_MAX, 1);
    std::vector<std::string_view> arguments(argv + 1, argv + argc);
    if (!arguments.empty() && arguments.front() == "schedule") {
        arguments.erase(arguments.begin());
        return schedule(arguments);
    }
    kcontrol::system_environment env;
    const auto o = gpu_labeler::parse_options(arguments, env);
    if (!o) return usage_error(o.error());
    if (o->help()) {
        print(stdout, gpu_labeler::help_text());
        return 0;
    }
    if (o->version()) {
        print(stdout, "gpu_labeler " GPU_LABELER_VERSION "\n");
        return 0;
    }
    try {
        return o->dry_run() ? dry_run(env, *o) : keep_labels(env, *o, arguments);
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "error: %s\n", failure.what());
        return 1;
    }
}

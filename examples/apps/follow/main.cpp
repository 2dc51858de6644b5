// kcontrol-follow: endpoints and leaders for programs that don't speak Kubernetes. README.md is its page.
#include <kcontrol/logging/log_sink.hpp>
#include <kcontrol/runtime/core_dumps.hpp>
#include <kcontrol/runtime/signals.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/version.hpp>

#include "options.hpp"
#include "service/program.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace {

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

follow::exit_status run(kcontrol::environment& env, const follow::options& o) {
    std::signal(SIGPIPE, SIG_IGN);  // a reader that is gone is an error of the write
    boost::asio::io_context context(1);
    std::stop_source stop;
    kcontrol::signal_stop signals(context.get_executor(), stop);
    const kcontrol::logger log(kcontrol::standard_error_sink(env, o.log_format), o.log_level);
    auto out = follow::exit_status::failed;
    auto work = follow::run_program(env, context.get_executor(), o,
                                    follow::write_to(context.get_executor(), STDOUT_FILENO), log, stop.get_token());
    boost::asio::co_spawn(context, std::move(work), [&](std::exception_ptr failure, follow::exit_status done) {
        signals.cancel();
        context.stop();  // what still lingers was asked to stop
        if (failure) std::rethrow_exception(failure);
        out = done;
    });
    context.run();
    return out;
}

}  // namespace

int main(int argc, char** argv) {
    kcontrol::forbid_core_dumps();
    const std::vector<std::string_view> arguments(argv + 1, argv + argc);
    const auto o = follow::parse_options(arguments);
    if (!o) {
        std::fprintf(stderr, "error: %s\n", o.error().message().c_str());
        return static_cast<int>(follow::exit_status::usage);
    }
    if (o->help) return print(follow::help_text()), 0;
    if (o->version) return print("kcontrol-follow " + std::string(kcontrol::library_version) + "\n"), 0;
    try {
        kcontrol::system_environment env;
        return static_cast<int>(run(env, *o));
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "error: %s\n", failure.what());
        return static_cast<int>(follow::exit_status::failed);
    }
}

// gpu_labeler: what it is asked to do. So far it prints: labels with --dry-run, and when a schedule fires.
#include <kcontrol/runtime/system_environment.hpp>

#include "dry_run.hpp"
#include "options.hpp"
#include "schedule_command.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
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

int dry_run(const gpu_labeler::options& o) {
    kcontrol::system_environment env;
    boost::asio::io_context context(1);
    gpu_labeler::dry_run_report report;
    boost::asio::co_spawn(context, gpu_labeler::dry_run(env, context.get_executor(), o, std::stop_token()),
                          [&](std::exception_ptr failure, gpu_labeler::dry_run_report done) {
                              if (failure) std::rethrow_exception(failure);
                              report = std::move(done);
                          });
    context.run();
    print(stdout, report.labels);
    print(stderr, report.notes);
    if (report.hanging) {
        std::fflush(stdout);
        std::_Exit(report.status);
    }
    return report.status;
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string_view> arguments(argv + 1, argv + argc);
    if (!arguments.empty() && arguments.front() == "schedule") {
        arguments.erase(arguments.begin());
        return schedule(arguments);
    }
    const auto o = gpu_labeler::parse_options(arguments);
    if (!o) return usage_error(o.error());
    if (o->help) {
        print(stdout, gpu_labeler::help_text());
        return 0;
    }
    if (o->version) {
        print(stdout, "gpu_labeler " GPU_LABELER_VERSION "\n");
        return 0;
    }
    if (!o->dry_run) {
        std::fputs("error: nothing to do; say --dry-run, or see gpu_labeler --help\n", stderr);
        return 2;
    }
    return dry_run(*o);
}

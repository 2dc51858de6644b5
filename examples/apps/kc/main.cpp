// kc: a kubectl of ours, small. It shows that what the client can do can be said in a few lines.
#include <kcontrol/logging/log_sink.hpp>
#include <kcontrol/runtime/core_dumps.hpp>
#include <kcontrol/transport/client.hpp>
#include <kcontrol/version.hpp>

#include "session.hpp"
#include "terminal.hpp"

#include <iostream>
#include <utility>

namespace {

using namespace kc;

constexpr std::pair<std::string_view, int (*)(session&)> commands[] = {{"get", kc::get},
                                                                       {"apply", kc::apply},
                                                                       {"delete", kc::remove},
                                                                       {"patch", kc::patch},
                                                                       {"scale", kc::scale},
                                                                       {"wait", kc::wait},
                                                                       {"auth", kc::auth},
                                                                       {"api-resources", kc::api_resources},
                                                                       {"logs", kc::logs},
                                                                       {"exec", kc::exec},
                                                                       {"port-forward", kc::port_forward}};

// Why there are no credentials is the error of the command, too, so that it is not logged besides.
log_sink sink_of_a_command(environment& env) {
    return [sink = standard_error_sink(env)](const log_record& record) {
        if (record.message != "can't get credentials") sink(record);
    };
}

int run(int (*command)(session&), options said) {
    terminal_environment env;
    if (said.text("--filename") == "-") env.keep_input("standard input has the manifests (-f -)");
    const logger log(sink_of_a_command(env), log_level::warning);
    const auto config = said.config(env);
    if (!config) return report(config.error());
    auto b = blocking_client::connect(env, *config, http::make_transport_factory(env), log);
    if (!b) return report(b.error());
    try {
        session s(std::move(*b), std::move(said));
        return command(s);
    } catch (const exception& e) {
        return report(e.cause());
    }
}

}  // namespace

int main(int argc, char** argv) {
    forbid_core_dumps();
    const std::vector<std::string_view> arguments(argv + 1, argv + argc);
    if (arguments.empty() || arguments.front() == "--help" || arguments.front() == "-h") {
        return std::cout << kc::help, 0;
    }
    if (arguments.front() == "--version") return std::cout << "kc " << library_version << "\n", 0;
    auto said = options::parse(arguments);
    if (!said) return report(said.error());
    for (const auto& [name, command] : commands) {
        if (!said->words.empty() && said->words.front() == name) return run(command, std::move(*said));
    }
    return std::cerr << "error: no such command; see kc --help\n", 1;
}

// kc: a kubectl of ours, small. It shows that what the client can do can be said in a few lines.
#include <kcontrol/logging/log_sink.hpp>
#include <kcontrol/runtime/core_dumps.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/transport/client.hpp>
#include <kcontrol/version.hpp>

#include "session.hpp"

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

int tell(const error& why) {
    if (const auto* status = why.status(); status != nullptr) {
        std::cerr << "Error from server (" << status->reason << "): " << status->message << "\n";
    } else {
        std::cerr << "error: " << why.what() << "\n";
    }
    return 1;
}

int run(int (*command)(session&), options said) {
    system_environment env;
    const logger log(standard_error_sink(env), log_level::warning);
    const auto config = auth::find_config(env, said.search());
    if (!config) return tell(config.error());
    auto b = blocking_client::connect(env, *config, http::make_transport_factory(env), log);
    if (!b) return tell(b.error());
    try {
        session s(std::move(*b), std::move(said));
        return command(s);
    } catch (const exception& e) {
        return tell(e.cause());
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
    if (!said) return tell(said.error());
    for (const auto& [name, command] : commands) {
        if (!said->words.empty() && said->words.front() == name) return run(command, std::move(*said));
    }
    return std::cerr << "error: no such command; see kc --help\n", 1;
}

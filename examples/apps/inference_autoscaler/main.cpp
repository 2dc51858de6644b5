// inference_autoscaler: replicas of inference servers. docs/inference_autoscaler.md is its page.
#include <kcontrol/controllerutil/crds.hpp>
#include <kcontrol/manager/run.hpp>
#include <kcontrol/runtime/core_dumps.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/transport/client.hpp>

#include "api/validation.hpp"
#include "control/scaler_control.hpp"
#include "simulate/simulate_command.hpp"

#include <algorithm>
#include <iostream>
#include <string_view>
#include <vector>

using namespace kcontrol;

namespace {

int simulate(const std::vector<std::string_view>& arguments) {
    const auto asks_help = [](std::string_view a) { return a == "--help" || a == "-h"; };
    if (std::ranges::any_of(arguments, asks_help)) return std::cout << inference_autoscaler::simulate_help(), 0;
    system_environment env;
    const auto line = inference_autoscaler::simulate_command(arguments, env);
    if (line) return std::cout << *line, std::cout.flush() ? 0 : 1;
    std::cerr << "error: " << line.error().message() << "\n";
    return line.error().code() == errc::invalid_argument ? 2 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    forbid_core_dumps();
    const std::vector<std::string_view> arguments(argv + std::min(argc, 1), argv + argc);
    if (!arguments.empty() && arguments[0] == "simulate") return simulate({arguments.begin() + 1, arguments.end()});
    bool install = false;
    auto addresses = http::address_rules::public_and_private();  // users name servers
    const auto allow = [&addresses](std::string_view range) { return addresses.allow(range); };
    run_options options(inference_autoscaler::watched());
    options.flag("--install-crds", "installs the CustomResourceDefinition of InferenceScaler first", install)
        .flag("--allow-address", "CIDR",
              "addresses that scalers may name, besides the internet and private networks; several times", allow)
        .leader_election(leader_options(namespaced_name("", inference_autoscaler::operator_name)))
        .log_as(log_format::json);
    const auto set_up = [&](manager& m, std::stop_token stop) -> awaitable<result<void>> {
        if (install) {
            install_options how;
            how.stop(std::move(stop));
            // Replicas that do not lead install it, too: they watch the kind.
            const auto installed =
                co_await install_crds<inference_autoscaler::inference_scaler>(m.get_unfenced_client(), how);
            if (!installed) co_return installed;
        }
        co_return inference_autoscaler::set_up(
            m, http::make_transport_factory(m.env(), http::transport_options().addresses(addresses)));
    };
    return run(argc, argv, set_up, options);
}

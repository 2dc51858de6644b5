// inference_autoscaler: replicas of inference servers. docs/inference_autoscaler.md is its page.
#include <kcontrol/controllerutil/crds.hpp>
#include <kcontrol/manager/find_config.hpp>
#include <kcontrol/manager/run.hpp>
#include <kcontrol/runtime/core_dumps.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/transport/client.hpp>

#include "api/validation.hpp"
#include "commands/print_command.hpp"
#include "control/explain.hpp"
#include "control/program.hpp"
#include "guarded_serving/guarded_listen.hpp"
#include "simulate/simulate_command.hpp"
#include "web/handlers.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <iostream>
#include <string_view>
#include <vector>

using namespace kcontrol;
using words = std::vector<std::string_view>;

namespace {

constexpr std::string_view commands_help = R"(
Commands, each with a --help of its own:
  inference_autoscaler explain NAMESPACE/NAME   what was decided, and what the rules say now
  inference_autoscaler simulate FLAGS           what a scaler does under a recorded load
)";

result<std::string> explain_once(const words& arguments) {
    system_environment env;
    const auto asked = inference_autoscaler::read_explain_arguments(arguments);
    if (!asked) return asked.error();
    auto addresses = http::address_rules::public_and_private();
    for (const auto& each : asked->allowed) {
        if (const auto done = addresses.allow(each); !done) return done.error().with_context("--allow-address");
    }
    const auto config = find_cluster_config(env, asked->kubeconfig, asked->context);
    if (!config) return config.error();
    boost::asio::io_context context(1);
    auto cluster = client::connect(env, context.get_executor(), *config, http::make_transport_factory(env));
    if (!cluster) return cluster.error();
    const auto connect = http::make_transport_factory(env, http::transport_options().addresses(addresses));
    result<std::string> out = error(errc::stopped);
    boost::asio::co_spawn(context,
                          inference_autoscaler::explain(env, context.get_executor(), *cluster, connect, asked->scaler),
                          [&](std::exception_ptr failure, result<std::string> done) {
                              if (failure) std::rethrow_exception(failure);
                              out = std::move(done);
                              context.stop();
                          });
    context.run();
    return out;
}

}  // namespace

int main(int argc, char** argv) {
    forbid_core_dumps();
    const words arguments(argv + std::min(argc, 1), argv + argc);
    const std::string_view first = arguments.empty() ? "" : arguments[0];
    const words rest(arguments.begin() + (arguments.empty() ? 0 : 1), arguments.end());
    if (first == "simulate") {
        return commands::print_command(rest, inference_autoscaler::simulate_help(), [](const words& said) {
            system_environment env;
            return inference_autoscaler::simulate_command(said, env);
        });
    }
    if (first == "explain") return commands::print_command(rest, inference_autoscaler::explain_help(), explain_once);
    bool install = false;
    auto addresses = http::address_rules::public_and_private();  // users name servers
    const auto allow = [&addresses](std::string_view range) { return addresses.allow(range); };
    const auto shown = std::make_shared<inference_autoscaler::board>();
    guarded_serving::guarded_listen web("inference_autoscaler");
    run_options options;
    options.flag("--install-crds", "installs the CustomResourceDefinition of InferenceScaler first", install)
        .flag("--allow-address", "CIDR",
              "addresses that scalers may name, besides the internet and private networks; several times", allow)
        .leader_election(leader_options(namespaced_name("", inference_autoscaler::operator_name)))
        .log_as(log_format::json);
    web.add_to(options, "0");
    const auto set_up = [&](manager& m, std::stop_token stop) -> awaitable<result<void>> {
        if (install) {
            install_options how;
            how.stop(std::move(stop));
            // Replicas that do not lead install it, too: they watch the kind.
            const auto installed =
                co_await install_crds<inference_autoscaler::inference_scaler>(m.get_unfenced_client(), how);
            if (!installed) co_return installed;
        }
        inference_autoscaler::add_page(web.routes(), *shown);
        // A follower takes a wake, too: it writes the annotation, on which the leader acts.
        inference_autoscaler::add_wake(web.routes(), m.env(), m.get_unfenced_client());
        co_return inference_autoscaler::set_up(
            m, http::make_transport_factory(m.env(), http::transport_options().addresses(addresses)), shown);
    };
    const int status = run(argc, argv, set_up, options);
    if (std::ranges::find(arguments, "--help") != arguments.end()) std::cout << commands_help;
    return status;
}

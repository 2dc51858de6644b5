// The training operator: TrainingJobs become ranks that run all together or not at all.
#include <kcontrol/controllerutil/crds.hpp>
#include <kcontrol/manager/run.hpp>
#include <kcontrol/runtime/core_dumps.hpp>
#include <kcontrol/transport/client.hpp>

#include "control/job_control.hpp"
#include "job/names.hpp"

using namespace kcontrol;

int main(int argc, char** argv) {
    forbid_core_dumps();
    bool install = false;
    auto addresses = http::address_rules::public_only();
    const auto allow = [&addresses](std::string_view range) { return addresses.allow(range); };
    run_options options(training_operator::watched());
    options.flag("--install-crds", "installs the CustomResourceDefinition of TrainingJob first", install)
        .flag("--allow-address", "CIDR",
              "addresses that jobs may name, besides those of the public internet; several times", allow)
        .leader_election(leader_options(namespaced_name("", training_operator::operator_name)))
        .log_as(log_format::json);
    const auto set_up = [&](manager& m, std::stop_token stop) -> awaitable<result<void>> {
        if (install) {
            install_options how;
            how.stop(std::move(stop));
            // Replicas that do not lead install it, too: they watch the kind.
            const auto installed = co_await install_crds<training_operator::training_job>(m.get_unfenced_client(), how);
            if (!installed) co_return installed;
        }
        co_return training_operator::set_up(
            m, http::make_transport_factory(m.env(), http::transport_options().addresses(addresses)));
    };
    return run(argc, argv, set_up, options);
}

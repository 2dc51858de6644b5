// gpu_healer: quarantines nodes with broken GPUs, repairs them and verifies that they are healthy. docs/gpu_healer.md
// is its page.
#include <kcontrol/controllerutil/crds.hpp>
#include <kcontrol/manager/run.hpp>
#include <kcontrol/runtime/core_dumps.hpp>
#include <kcontrol/transport/client.hpp>

#include "control/healer.hpp"
#include "guarded_serving/guarded_listen.hpp"
#include "repair/executors.hpp"
#include "web/case_spans.hpp"
#include "web/overview.hpp"

#include <string>

using namespace kcontrol;

int main(int argc, char** argv) {
    forbid_core_dumps();
    bool install = false;
    std::string work_namespace = gpu_healer::operator_name;
    auto addresses = http::address_rules::public_and_private();
    const auto work_in = [&work_namespace](std::string_view name) -> result<void> {
        work_namespace = name;
        return {};
    };
    const auto allow = [&addresses](std::string_view range) { return addresses.allow(range); };
    run_options options(gpu_healer::watched());
    options
        .flag("--install-crds", "installs the CustomResourceDefinitions of HealingPolicy and NodeRepair first", install)
        .flag("--work-namespace", "NAME", "where Jobs run, and the only namespace whose Secrets are read", work_in)
        .flag("--allow-address", "CIDR",
              "addresses that steps may name, besides the internet and private networks; several times", allow)
        .leader_election(leader_options(namespaced_name("", gpu_healer::operator_name)))
        .log_as(log_format::json);
    guarded_serving::guarded_listen serving("gpu_healer");
    serving.add_to(options);
    const auto set_up = [&](manager& m, std::stop_token stop) -> awaitable<result<void>> {
        if (install) {
            install_options how;
            how.stop(std::move(stop));
            // Replicas that do not lead install them, too: they watch the kinds.
            const auto installed = co_await install_crds<gpu_healer::healing_policy, gpu_healer::node_repair>(
                m.get_unfenced_client(), how);
            if (!installed) co_return installed;
        }
        auto connect = http::make_transport_factory(m.env(), http::transport_options().addresses(addresses));
        const auto steps = std::make_shared<gpu_healer::step_executors>(m.get_client(), std::move(connect),
                                                                        m.get_executor(), work_namespace);
        const auto made = gpu_healer::set_up(m, steps);
        if (made) {
            gpu_healer::add_case_spans(m);
            gpu_healer::add_routes(serving.routes(), m);
            gpu_healer::add_page(serving.routes(), [&m] { return gpu_healer::overview_of(m); });
        }
        co_return made;
    };
    return run(argc, argv, set_up, options);
}

// The Ray operator: RayClusters become pods, and RayJobs run on them; compatible with KubeRay.
#include <kcontrol/api/apiextensions/v1.hpp>
#include <kcontrol/controllerutil/crds.hpp>
#include <kcontrol/manager/run.hpp>
#include <kcontrol/runtime/core_dumps.hpp>
#include <kcontrol/transport/client.hpp>

#include "api/names.hpp"
#include "control/job_control.hpp"

#include <charconv>

using namespace kcontrol;

namespace {

// KubeRay's definition stays where it is installed: ours has fewer fields.
template <resource Kind>
awaitable<result<void>> install_where_absent(client c, std::stop_token stop) {
    get_options reading;
    reading.stop(stop);
    const auto crd = crd_of<Kind>();
    if (!crd) co_return crd.error();
    using definition = api::apiextensions::v1::custom_resource_definition;
    const namespaced_name name("", crd->name());
    const auto found = co_await c.get<definition>(name, reading);
    if (found) co_return result<void>();
    if (found.error() != api_errc::not_found) co_return found.error();
    install_options how;
    how.stop(std::move(stop));
    const auto installed = co_await install_crds<Kind>(c, how);
    co_return installed;
}

}  // namespace

int main(int argc, char** argv) {
    forbid_core_dumps();
    bool install = false, proxied = false;
    std::size_t concurrency = 10;
    std::string only_label;
    auto addresses = http::address_rules::public_and_private();
    const auto allow = [&addresses](std::string_view range) { return addresses.allow(range); };
    run_options options;
    const auto take_label = [&](std::string_view selector) -> result<void> {
        const auto equals = selector.find('=');
        if (equals == 0 || equals == selector.npos) return error(errc::invalid_argument, "write KEY=VALUE");
        only_label = selector;
        options.manager(ray_operator::watched(only_label));
        return {};
    };
    const auto take_number = [&concurrency](std::string_view digits) -> result<void> {
        const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), concurrency);
        const bool whole = problem == std::errc() && end == digits.data() + digits.size();
        if (!whole || concurrency == 0) return error(errc::invalid_argument, "give a number of 1 or more");
        return {};
    };
    options.manager(ray_operator::watched())
        .flag("--install-crds", "first installs those of the CustomResourceDefinitions that are absent", install)
        .flag("--only-label", "KEY=VALUE", "leaves all RayClusters and RayJobs without that label alone", take_label)
        .flag("--reconcile-concurrency", "N", "objects of a kind that are reconciled at a time (default 10)",
              take_number)
        .flag("--use-kubernetes-proxy", "reaches dashboards through the API server's proxy", proxied)
        .flag("--allow-address", "CIDR",
              "addresses that dashboards may have, besides the internet and private networks; several times", allow)
        .leader_election(leader_options(namespaced_name("", ray_operator::operator_name)))
        .log_as(log_format::json);
    const auto set_up = [&](manager& m, std::stop_token stop) -> awaitable<result<void>> {
        if (install) {
            // Replicas that do not lead install them, too: they watch the kinds.
            auto done = co_await install_where_absent<ray_operator::ray_cluster>(m.get_unfenced_client(), stop);
            if (done) done = co_await install_where_absent<ray_operator::ray_job>(m.get_unfenced_client(), stop);
            if (!done) co_return done;
        }
        auto connect = http::make_transport_factory(m.env(), http::transport_options().addresses(addresses));
        auto dashboards =
            proxied ? ray_operator::proxied_dashboards() : ray_operator::direct_dashboards(std::move(connect));
        co_return ray_operator::set_up(m, std::move(dashboards), concurrency);
    };
    return run(argc, argv, set_up, options);
}

// The training operator: TrainingJobs become ranks that run all together or not at all.
#include <kcontrol/controllerutil/crds.hpp>
#include <kcontrol/http/fetch.hpp>
#include <kcontrol/manager/run.hpp>
#include <kcontrol/runtime/core_dumps.hpp>
#include <kcontrol/transport/client.hpp>
#include <kcontrol/values/api_duration.hpp>

#include "control/job_control.hpp"
#include "job/names.hpp"

#include <charconv>

using namespace kcontrol;

int main(int argc, char** argv) {
    forbid_core_dumps();
    bool install = false;
    auto addresses = http::address_rules::public_only();
    const auto allow = [&addresses](std::string_view range) { return addresses.allow(range); };
    training_operator::restart_settings restarts;
    const auto take_number = [&restarts](std::string_view digits) -> result<void> {
        const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), restarts.at_once);
        const bool whole = problem == std::errc() && end == digits.data() + digits.size();
        if (!whole || restarts.at_once == 0) return error(errc::invalid_argument, "give a number of 1 or more");
        return {};
    };
    const auto take_target = [&restarts](std::string_view text) -> result<void> {
        const auto read = parse_duration(text);
        if (!read) return read.error();
        if (read->count() <= 0) return error(errc::invalid_argument, "give a time above 0, such as 60s");
        restarts.wait_target = *read;
        return {};
    };
    const auto take_scheduler = [&restarts](std::string_view url) -> result<void> {
        const auto read = http::parse_document_url(url);
        if (!read) return read.error();
        if (read->target != "/") return error(errc::invalid_argument, "give http://HOST:PORT without a path");
        restarts.scheduler_url = url.ends_with('/') ? url.substr(0, url.size() - 1) : url;
        return {};
    };
    run_options options(training_operator::watched());
    options.flag("--install-crds", "installs the CustomResourceDefinition of TrainingJob first", install)
        .flag("--allow-address", "CIDR",
              "addresses that jobs may name, besides those of the public internet; several times", allow)
        .flag("--restarts-at-once", "N",
              "gangs of priority below 1000 that start again at a time (default 16); others never wait", take_number)
        .flag("--wait-target", "TIME",
              "how long gangs may wait for nodes before less urgent restarts are held back (default 60s)", take_target)
        .flag("--scheduler-url", "URL",
              "a GPU scheduler, which says whether a job on CPUs fits on GPUs (default: what nodes have free)",
              take_scheduler)
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
            m, http::make_transport_factory(m.env(), http::transport_options().addresses(addresses)), restarts,
            http::make_transport_factory(m.env()));
    };
    return run(argc, argv, set_up, options);
}

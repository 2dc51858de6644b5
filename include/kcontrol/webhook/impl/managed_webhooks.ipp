#pragma once

#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/webhook/managed_webhooks.hpp>

#include <memory>

namespace kcontrol::inline v0_1 {
namespace detail {

// Reads come from the API server: a cache of all Secrets would be more than the program may see.
inline awaitable<result<void>> manage_webhooks(manager& m, std::shared_ptr<certificate_manager> certificates,
                                               std::shared_ptr<const managed_webhook_options> managed,
                                               std::stop_token stop) {
    // By now every builder has said what it serves.
    ca_bundle_injector bundles(m.env(), m.get_client().live(), managed->name(), get_webhook_server(m).webhooks(),
                               managed->address(), managed->bundles(), m.log());
    task_group tasks(m.env(), m.get_executor(), m.log());
    tasks.spawn(certificates->run(stop));
    co_await bundles.run(*certificates, stop);
    co_await tasks.join();
    co_return result<void>();
}

}  // namespace detail

KCONTROL_DECL webhook_server& get_managed_webhook_server(manager& m, managed_webhook_options managed,
                                                         webhook_server_options options) {
    const auto certificates =
        std::make_shared<certificate_manager>(m.env(), m.get_client().live(), managed.certificates(), m.log());
    options.tls(webhook_tls(
        [certificates] { return certificates->load(); },
        [certificates](http::server& of, std::stop_token stop) { return certificates->follow(of, std::move(stop)); }));
    webhook_server& out = get_webhook_server(m, std::move(options));
    const auto held = std::make_shared<const managed_webhook_options>(std::move(managed));
    const auto keep = [&m, certificates, held](std::stop_token stop) {
        return detail::manage_webhooks(m, certificates, held, std::move(stop));
    };
    const auto added = m.add(runnable("webhook certificates", keep, run_group::serving));
    if (!added) m.log().error("the webhooks' certificate is not kept", {{"error", added.error().what()}});
    return out;
}

}  // namespace kcontrol

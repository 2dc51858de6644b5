#include "service/opened_store.hpp"

#include <kcontrol/manager/find_config.hpp>
#include <kcontrol/transport/client.hpp>

#include "service/health_reporter.hpp"

namespace gpu_labeler {
namespace {

using kcontrol::result;

result<opened_store> open_object(kcontrol::environment& env, kcontrol::executor ex, const options& o,
                                 const kcontrol::logger& log) {
    const auto config = kcontrol::find_cluster_config(env, o.kubeconfig(), o.context());
    if (!config) return config.error();
    auto api = kcontrol::client::connect(env, ex, *config, kcontrol::http::make_transport_factory(env), log);
    if (!api) return api.error();
    if (o.output() == label_output::node) {
        opened_store out(make_node_store(*api, o.node_name()));
        out.token_file = config->token_file();
        out.api = std::move(*api);
        return out;
    }
    const auto& in_namespace = o.in_namespace().empty() ? config->default_namespace() : o.in_namespace();
    if (in_namespace.empty()) {
        return kcontrol::error(kcontrol::errc::invalid_argument,
                               "--output nodefeature: which namespace? Say --namespace");
    }
    opened_store out(make_node_feature_store(*api, o.node_name(), in_namespace));
    out.api = std::move(*api);
    return out;
}

}  // namespace

result<opened_store> open_store(kcontrol::environment& env, kcontrol::executor ex, const options& o,
                                const kcontrol::logger& log) {
    switch (o.output()) {
    case label_output::file: return opened_store(make_file_store(env, o.features_file()));
    case label_output::none: return opened_store(make_no_store());
    case label_output::node:
    case label_output::node_feature: break;
    }
    return open_object(env, std::move(ex), o, log);
}

result<void> open_health(opened_store& opened, kcontrol::environment& env, kcontrol::executor ex, const options& o,
                         const kcontrol::logger& log) {
    if (!o.report_health()) return {};
    opened.health = opened.api;
    if (opened.health) return {};
    const auto config = kcontrol::find_cluster_config(env, o.kubeconfig(), o.context());
    if (!config) return config.error();
    const auto transport = kcontrol::http::make_transport_factory(env);
    auto connected = kcontrol::client::connect(env, std::move(ex), *config, transport, log);
    if (!connected) return connected.error();
    opened.health = std::move(*connected);
    return {};
}

kcontrol::awaitable<int> clean_up(opened_store& opened, std::string node, kcontrol::logger log, std::stop_token stop) {
    if (opened.health) {
        const auto cleared = co_await clear_health(*opened.health, std::move(node), stop);
        if (!cleared) {
            log.error("the health of the GPUs can't be removed", {{"error", cleared.error().message()}});
            co_return 1;
        }
    }
    const auto done = co_await opened.store->clear(std::move(stop));
    if (!done) {
        log.error("the labels can't be removed", {{"error", done.error().message()}});
        co_return 1;
    }
    log.info("nothing of this program is there any more", {{"where", opened.store->name()}});
    co_return 0;
}

}  // namespace gpu_labeler

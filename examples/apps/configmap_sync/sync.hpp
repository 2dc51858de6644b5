// The controller of configmap_sync: what is done for one ConfigMap in one cluster.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/multicluster/multicluster_controller.hpp>

namespace configmap_sync {

using namespace kcontrol;
using kcontrol::api::core::v1::config_map;

inline constexpr const char* home = "(home)";  // no Secret has this name
// A ConfigMap without this label is somebody else's, and is left alone.
inline constexpr const char* mark = "configmap-sync.kcontrol.dev/copy";

// Makes the copy what `original` is. Null, or labelled no more, means that there is to be none.
inline awaitable<result<void>> sync(reconcile_context ctx, request req, std::shared_ptr<const config_map> original) {
    client c = ctx.get_cluster().get_client();
    const auto there = co_await c.live().get<config_map>(req, get_options().stop(ctx.stop()));
    if (!there && there.error().code() != condition::not_found) co_return there.error();
    if (there && !there->metadata.labels.contains(mark)) {
        if (original) ctx.log().warning("a ConfigMap of this name is somebody else's, and stays as it is");
        co_return result<void>();
    }
    if (!original) {
        const auto removed = co_await c.delete_<config_map>(req, delete_options().ignore_not_found());
        co_return removed;
    }
    if (there && there->data == original->data && there->binary_data == original->binary_data) co_return result<void>();
    config_map copy;
    copy.metadata.name = original->metadata.name;
    copy.metadata.namespace_ = original->metadata.namespace_;
    copy.metadata.labels[mark] = "true";
    copy.data = original->data;
    copy.binary_data = original->binary_data;
    const auto stored = co_await c.apply(copy, apply_options("configmap-sync").force());
    if (!stored) co_return stored.error();
    ctx.log().info(there ? "updated" : "created");
    co_return result<void>();
}

// In each cluster that is selected it follows the home cluster's ConfigMaps, and puts copies right that somebody
// changes. Some copies of a cluster are made at a time, and so many in all clusters that this program bears it.
inline constexpr std::size_t most_in_a_cluster = 4, most_in_all = 64;

inline result<std::shared_ptr<cluster_controllers>> add_to(multicluster_manager& m, label_selector selected) {
    auto workers = std::make_shared<shared_workers>(m.env(), cluster_workers(most_in_all));
    return multicluster_controller(m, "configmap-sync")
        .for_in<config_map>(home, kind_options().label_selector("sync=yes"))
        .watches<config_map>([](const config_map& copy) { return request(key_of(copy.metadata)); },
                             kind_options().label_selector(mark))
        .clusters([selected = std::move(selected)](const engaged_cluster& c) {
            return c.name() != home && selected.matches(c.labels());
        })
        .with_options(controller_options().max_concurrent_reconciles(most_in_a_cluster))
        .complete(sync, std::move(workers));
}

}  // namespace configmap_sync

#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/multicluster/detail/object_source.hpp>

#include <utility>

namespace kcontrol::inline v0_1::detail {

KCONTROL_DECL object_source::object_source(environment& e, executor x, auth::cluster_config home,
                                           http::transport_factory transport, const std::string& whose,
                                           std::string what, logger l)
    : env(e),
      ex(std::move(x)),
      log(std::move(l)),
      home_(std::move(home)),
      transport_(std::move(transport)),
      what_(std::move(what)),
      publisher_(std::make_shared<set_publisher>(e, ex, "on_change() of a " + whose, log)) {}

KCONTROL_DECL object_source::~object_source() = default;

KCONTROL_DECL result<void> object_source::start(const resource_info& kind, informer_options settings,
                                                std::function<void(std::vector<desired_cluster>)> on_change) {
    if (informer_) return error(errc::invalid_argument, "the source of clusters runs already; stop it first");
    auto cl = client::connect(env, ex, home_, transport_, log);
    if (!cl) return cl.error();
    settings.log(log);
    informer_ = std::make_unique<any_informer>(env, ex, *cl, kind, settings);
    const std::weak_ptr<object_source> weak = weak_from_this();
    publisher_->start(std::move(on_change), [weak] {
        const auto alive = weak.lock();
        return alive ? alive->present() : std::nullopt;
    });
    handler_ = informer_->subscribe([weak](const any_event& event) {
        const auto alive = weak.lock();
        if (!alive) return;
        alive->take(event);
        alive->publisher_->publish_soon();
    });
    status_handler_ = informer_->on_status_change([weak](const informer_status& status) {
        if (const auto alive = weak.lock()) alive->take_status(status);
    });
    informer_->start();
    return {};
}

KCONTROL_DECL void object_source::stop() {
    publisher_->stop();
    handler_.reset();
    status_handler_.reset();
    informer_.reset();
    clusters_.clear();
    last_reason_.clear();
    forget();
}

KCONTROL_DECL void object_source::put(const std::string& name, result<auth::cluster_config> config,
                                      const object_meta& from) {
    const auto known = clusters_.find(name);
    if (!config && known != clusters_.end() && known->second.config) {
        known->second.warning = config.error().what() + "; the configuration before it stays in use";
    } else {
        clusters_.insert_or_assign(name, desired_cluster(name, std::move(config)));
    }
    auto& labels = clusters_.at(name).labels;
    labels.clear();
    for (const auto& [key, value] : from.labels) labels.emplace(key, value);
}

KCONTROL_DECL std::optional<std::vector<desired_cluster>> object_source::present() const {
    if (!informer_ || !informer_->has_synced()) return std::nullopt;
    std::vector<desired_cluster> out;
    for (const auto& [name, cluster] : clusters_) out.push_back(cluster);
    return out;
}

KCONTROL_DECL void object_source::take_status(const informer_status& status) {
    if (status.state != informer_state::live && !status.reason.empty() && status.reason != last_reason_) {
        log.warning("the " + what_ + " can't be watched; the clusters stay as they are",
                    {{"state", std::string(to_string(status.state))}, {"reason", status.reason}});
    }
    last_reason_ = status.reason;
    publisher_->publish_soon();
}

}  // namespace kcontrol::detail

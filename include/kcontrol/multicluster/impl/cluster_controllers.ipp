#pragma once

#include <kcontrol/multicluster/cluster_controllers.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {

// The host of one cluster's controller: sees to the way of its requests before it runs.
class cluster_controllers::part_host final : public controller_host {
public:
    part_host(cluster_controllers& all, controller_host& to) : all_(all), to_(to) {}

    cluster& get_cluster() noexcept override { return to_.get_cluster(); }
    void adjust(controller_options& of) const override { to_.adjust(of); }
    void prepare(controller& made) override {
        const std::string own = get_cluster().name();
        made.route_with([weak = all_.weak_from_this(), own](const request& req, const add_options& how) {
            if (req.cluster == own) return false;
            if (const auto all = weak.lock()) all->send(req, how, own);
            return true;
        });
        const auto mailbox = all_.mailbox_of(own);
        mailbox->attend(get_cluster().get_executor());
        made.watch(mailbox, mailbox->handler());
    }
    result<void> add(std::shared_ptr<any_controller> added) override { return to_.add(std::move(added)); }

private:
    cluster_controllers& all_;
    controller_host& to_;
};

KCONTROL_DECL cluster_controllers::cluster_controllers(environment& env, std::string name, logger log)
    : env_(env), name_(std::move(name)), log_(std::move(log)) {}

KCONTROL_DECL bool cluster_controllers::enqueue(const request& req, const add_options& how) {
    return send(req, how, req.cluster);
}

KCONTROL_DECL bool cluster_controllers::send(const request& req, const add_options& how, const std::string& from) {
    if (mailbox_of(req.cluster)->put(req, how, from)) return true;
    const std::lock_guard lock(mutex_);
    ++dropped_;
    if (const auto times = drops_told_.count(env_.now())) {
        log_.error("too many requests wait for a cluster without a controller that runs; further ones are dropped",
                   {{"controller", name_},
                    {"cluster", req.cluster},
                    {"request", to_string(req)},
                    {"times", std::to_string(*times)}});
    }
    return false;
}

KCONTROL_DECL std::shared_ptr<detail::cluster_mailbox> cluster_controllers::mailbox_of(const std::string& cluster) {
    const std::lock_guard lock(mutex_);
    auto& slot = mailboxes_[cluster];
    if (!slot) slot = std::make_shared<detail::cluster_mailbox>();
    return slot;
}

KCONTROL_DECL std::vector<std::string> cluster_controllers::clusters() const {
    std::vector<std::string> out;
    const std::lock_guard lock(mutex_);
    for (const auto& [cluster, part] : parts_) {
        if (!part.expired()) out.push_back(cluster);
    }
    return out;
}

KCONTROL_DECL std::size_t cluster_controllers::waiting() const {
    std::size_t out = 0;
    const std::lock_guard lock(mutex_);
    for (const auto& [cluster, box] : mailboxes_) out += box->waiting();
    return out;
}

KCONTROL_DECL std::uint64_t cluster_controllers::dropped() const {
    const std::lock_guard lock(mutex_);
    return dropped_;
}

KCONTROL_DECL result<void> cluster_controllers::engage(engaged_cluster& of) {
    for (const auto& feed : feeds_) {
        if (feed->cluster() != of.name()) continue;
        const result<void> attached = feed->attach(of);
        if (!attached) return attached.error().with_context("controller " + name_);
    }
    if (wanted_ && !wanted_(of)) return {};
    {
        const std::lock_guard lock(mutex_);
        const auto there = parts_.find(of.name());
        if (there != parts_.end() && !there->second.expired()) return {};
    }
    controller_host& to = always_ ? of.always() : static_cast<controller_host&>(of);
    part_host host(*this, to);
    const auto made = make_(host);
    if (!made) return made.error();
    const std::lock_guard lock(mutex_);
    parts_[of.name()] = *made;
    return {};
}

KCONTROL_DECL void cluster_controllers::removed(const std::string& cluster) {
    for (const auto& feed : feeds_) {
        if (feed->cluster() == cluster) feed->detach();
    }
    const std::lock_guard lock(mutex_);
    parts_.erase(cluster);
    mailboxes_.erase(cluster);
}

}  // namespace kcontrol

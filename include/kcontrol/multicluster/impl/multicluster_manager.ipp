#pragma once

#include <kcontrol/multicluster/impl/multicluster_manager_impl.hpp>
#include <kcontrol/multicluster/impl/multicluster_manager_leadership.ipp>
#include <kcontrol/multicluster/impl/multicluster_manager_sharding.ipp>

#include <utility>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL multicluster_manager::multicluster_manager(environment& env, executor ex, multicluster_options options)
    : impl_(std::make_shared<impl>(env, std::move(ex), std::move(options))) {}

KCONTROL_DECL multicluster_manager::~multicluster_manager() { impl_->abandon(); }

KCONTROL_DECL void multicluster_manager::set_desired(std::vector<desired_cluster> desired) {
    impl_->contend();
    if (impl_->options->sharding()) {
        impl_->share(std::move(desired));
    } else {
        impl_->disengage_others(desired, impl::farewell::left, {});
        for (auto& d : desired) impl_->engage(std::move(d));
    }
    impl_->book->offered(impl_->lead_error);
}

KCONTROL_DECL result<void> multicluster_manager::add(std::shared_ptr<cluster_aware> work) {
    result<void> taken = impl_->works->add(work);
    if (!taken) return taken;
    for (auto& [name, m] : impl_->members) {
        if (!m.object) continue;
        asio::post(m.strand, [object = m.object, work] { object->introduce_to(*work); });
    }
    return {};
}

KCONTROL_DECL environment& multicluster_manager::env() const noexcept { return impl_->env; }
KCONTROL_DECL const logger& multicluster_manager::log() const noexcept { return impl_->options->log(); }

KCONTROL_DECL awaitable<void> multicluster_manager::stop() { return impl::stop(impl_); }

KCONTROL_DECL executor multicluster_manager::get_executor() const { return impl_->home; }

KCONTROL_DECL const leader_elector* multicluster_manager::get_elector() const noexcept { return impl_->elector.get(); }
KCONTROL_DECL const std::optional<error>& multicluster_manager::last_error() const noexcept {
    return impl_->lead_error;
}

KCONTROL_DECL std::optional<sharding_status> multicluster_manager::sharding() const {
    if (!impl_->sharding) return std::nullopt;
    return impl_->sharding->status();
}

KCONTROL_DECL std::vector<cluster_status> multicluster_manager::statuses() const { return impl_->book->statuses(); }

KCONTROL_DECL result<void> multicluster_manager::ready(readiness when) const {
    return impl_->book->ready(when, impl_->options->sharding().has_value());
}

KCONTROL_DECL std::vector<std::string> multicluster_manager::names() const {
    std::vector<std::string> out;
    for (const auto& [name, m] : impl_->members) {
        if (m.object) out.push_back(name);
    }
    return out;
}

}  // namespace kcontrol

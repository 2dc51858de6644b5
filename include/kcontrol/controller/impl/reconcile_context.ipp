#pragma once

#include <kcontrol/cluster/cluster.hpp>
#include <kcontrol/controller/reconcile_context.hpp>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL reconcile_context::reconcile_context(const reconcile_context&) = default;
KCONTROL_DECL reconcile_context::reconcile_context(reconcile_context&&) noexcept = default;
KCONTROL_DECL reconcile_context& reconcile_context::operator=(const reconcile_context&) = default;
KCONTROL_DECL reconcile_context& reconcile_context::operator=(reconcile_context&&) noexcept = default;
KCONTROL_DECL reconcile_context::~reconcile_context() = default;

KCONTROL_DECL cluster& reconcile_context::get_cluster() const {
    if (cluster_ != nullptr) return *cluster_;
    throw_exception_from_error(
        error(errc::invalid_argument, "get_cluster(): no builder has made this controller; call its work_on() first"));
}

KCONTROL_DECL client reconcile_context::get_client() const { return get_cluster().get_client().traced(trace_); }

KCONTROL_DECL void reconcile_context::start_daemon(std::string name, daemon_function f) const {
    if (daemons_) daemons_->start(std::move(name), std::move(f));
}

KCONTROL_DECL void reconcile_context::stop_daemon(std::string name) const {
    if (daemons_) daemons_->stop(std::move(name));
}

}  // namespace kcontrol

#pragma once

#include <kcontrol/cluster/home_cluster.hpp>
#include <kcontrol/record/recorder_set.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

inline informer_set::scopes_function scopes_of(cache_options options, const logger& log) {
    return [options = std::move(options), log](const resource_info& kind) { return options.of(kind, log); };
}

}  // namespace detail

KCONTROL_DECL home_cluster::home_cluster(environment& env, executor ex, client cl, cache_options options, logger log,
                                         std::string name)
    : env_(&env),
      ex_(ex),
      log_(name.empty() ? std::move(log) : log.with("cluster", name)),
      name_(std::move(name)),
      informers_(env, std::move(ex), cl, detail::scopes_of(options, log_), log_),
      recorders_(std::make_unique<recorder_set>(env, ex_, std::move(cl), log_)) {
    informers_.audit_every(options.audit_period());
    informers_.own_writes_deadline(options.own_writes_deadline());
}

KCONTROL_DECL home_cluster::~home_cluster() = default;

KCONTROL_DECL const std::string& home_cluster::name() const noexcept { return name_; }
KCONTROL_DECL environment& home_cluster::env() const noexcept { return *env_; }
KCONTROL_DECL executor home_cluster::get_executor() const { return ex_; }
KCONTROL_DECL const logger& home_cluster::log() const noexcept { return log_; }
KCONTROL_DECL client& home_cluster::get_client() noexcept { return informers_.get_reading_client(); }

KCONTROL_DECL std::vector<std::shared_ptr<any_informer>> home_cluster::informers_of(const resource_info& kind) {
    return informers_.of(kind);
}

KCONTROL_DECL std::shared_ptr<cached_source> home_cluster::source_of(const resource_info& kind) {
    return informers_.source_of(kind);
}

KCONTROL_DECL result<std::shared_ptr<cached_source>> home_cluster::source_with(const resource_info& kind,
                                                                               const kind_options& how) {
    return informers_.source_with(kind, how);
}

KCONTROL_DECL awaitable<result<void>> home_cluster::remove_informers_of(const resource_info& kind) {
    return informers_.remove(kind);
}

KCONTROL_DECL std::shared_ptr<event_recorder> home_cluster::recorder_of(const event_recorder_options& options) {
    return recorders_->of(options);
}

KCONTROL_DECL std::vector<informer_report> home_cluster::informer_reports() const {
    return reports_of(informers_.all());
}

}  // namespace kcontrol

#pragma once

#include <kcontrol/leader/impl/leader_impl.hpp>
#include <kcontrol/runtime/random_uuid.hpp>

#include <boost/asio/this_coro.hpp>

namespace kcontrol::inline v0_1 {
namespace detail {

inline std::string first_line_of(environment& env, const std::string& path) {
    const auto text = env.read_file(path, 4096);
    return text ? text->substr(0, text->find_first_of("\r\n")) : std::string();
}

// As controller-runtime makes it: the host's name keeps it readable, the UUID makes it the only one.
inline std::string candidate_identity(environment& env) {
    std::string host = env.variable("HOSTNAME").value_or("");
    if (host.empty()) host = first_line_of(env, "/proc/sys/kernel/hostname");
    if (host.empty()) host = "host";
    return host + "_" + random_uuid(env);
}

inline leader_options completed(leader_options options, environment& env) {
    if (options.identity().empty()) options.identity(candidate_identity(env));
    if (!options.lease().namespace_.empty()) return options;
    const std::string own = first_line_of(env, "/var/run/secrets/kubernetes.io/serviceaccount/namespace");
    options.lease(namespaced_name(own, options.lease().name));
    return options;
}

inline lease_settings settings_of(const leader_options& options) {
    lease_settings out;
    out.name = options.lease().name;
    out.namespace_ = options.lease().namespace_;
    out.identity = options.identity();
    out.lease = options.lease_duration();
    out.renew = options.renew_deadline();
    out.retry = options.retry_period();
    out.labels = options.labels();
    out.annotations = options.annotations();
    out.refuse_token_reset = options.refuse_token_reset();
    return out;
}

}  // namespace detail

inline leader_elector::impl::impl(environment& e, executor x, client c, leader_options o, leader_callbacks cb, logger l)
    : env(e),
      ex(std::move(x)),
      cl(std::move(c)),
      options(detail::completed(std::move(o), e)),
      callbacks(std::move(cb)),
      log(l.with("lease", to_string(options.lease())).with("identity", escape_control(options.identity()))),
      fence(e, to_string(options.lease())),
      calls(std::make_shared<guarded_calls>(e, log)),
      tasks(e, ex, log),
      work(e, ex, log) {}

KCONTROL_DECL leader_elector::leader_elector(environment& env, executor ex, client cl, leader_options options,
                                             leader_callbacks callbacks, logger log)
    : impl_(std::make_shared<impl>(env, std::move(ex), std::move(cl), std::move(options), std::move(callbacks),
                                   std::move(log))) {}

KCONTROL_DECL leader_elector::~leader_elector() {
    impl_->gone = true;
    impl_->fence.set({});
    if (const auto mine = impl_->present) {
        if (mine->term) mine->term->stop();
        mine->lifetime.stop();
    }
}

KCONTROL_DECL result<void> leader_elector::start(std::stop_token parent) {
    impl& self = *impl_;
    result<void> usable = self.options.validate();
    if (!usable) return usable;
    if (self.options.lease().namespace_.empty()) {
        return error(errc::invalid_argument, "lease " + self.options.lease().name +
                                                 ": it has no namespace, and this is no pod, whose own it would be: "
                                                 "name one");
    }
    const auto before = self.present;
    if (before && !before->ended && !before->lifetime.stopped()) return {};
    self.present = std::make_shared<impl::turn>(std::move(parent), detail::settings_of(self.options));
    self.tasks.spawn(impl::run(impl_, self.present, before));
    return {};
}

KCONTROL_DECL awaitable<bool> leader_elector::stop(duration drain) {
    const auto self = impl_;
    const executor caller = co_await boost::asio::this_coro::executor;
    const auto mine = self->present;
    if (!mine || mine->ended) co_return true;
    self->work.exclude(user_task::of(caller));
    if (!mine->drain_until) mine->drain_until = self->env.now() + drain;
    mine->lifetime.stop();
    self->changed.notify_all();
    while (!mine->ended) co_await self->finished.wait(self->env, {});
    co_return mine->returned;
}

KCONTROL_DECL void leader_elector::rebuild(client next) {
    impl_->cl = std::move(next);
    if (impl_->present) impl_->present->watching.stop();
}

KCONTROL_DECL bool leader_elector::leading() const noexcept { return impl_->fence.open(); }
KCONTROL_DECL const leader_fence& leader_elector::fence() const noexcept { return impl_->fence; }
KCONTROL_DECL std::string leader_elector::leader() const {
    return impl_->present ? impl_->present->machine.holder() : std::string();
}
KCONTROL_DECL const std::string& leader_elector::identity() const noexcept { return impl_->options.identity(); }
KCONTROL_DECL const leader_options& leader_elector::options() const noexcept { return impl_->options; }

KCONTROL_DECL leader_stats leader_elector::stats() const {
    leader_stats out;
    out.leading = leading();
    out.leader = leader();
    out.terms = impl_->terms;
    out.slow_paths = impl_->slow_paths;
    out.callbacks_thrown = impl_->calls->thrown();
    if (const auto& now = impl_->present) {
        out.transitions = now->machine.transitions();
        if (!now->ended) out.slow_paths += now->machine.slow_paths();
    }
    return out;
}

// Names: k8s.io/component-base, metrics/prometheus/clientgo/leaderelection.
KCONTROL_DECL void write_leader_metrics(metrics_writer& out, const leader_elector& of) {
    write_leader_metrics(out, of.options().lease().name, of.stats());
}

KCONTROL_DECL void write_leader_metrics(metrics_writer& out, const std::string& name, const leader_stats& now) {
    const metric_labels by{{"name", name}};
    out.gauge("leader_election_master_status",
              "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates "
              "master. 'name' is the string used to identify the lease. Please make sure to group by name.",
              by, now.leading ? 1 : 0);
    out.counter("leader_election_slowpath_total",
                "Total number of slow path exercised in renewing leader leases. 'name' is the string used to identify "
                "the lease. Please make sure to group by name.",
                by, static_cast<double>(now.slow_paths));
}

}  // namespace kcontrol

#pragma once

#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/multicluster/detail/cluster_sharding.hpp>
#include <kcontrol/runtime/random_uuid.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <utility>

namespace kcontrol::inline v0_1::detail {

// The host's name keeps it readable, the UUID makes it the only one.
inline sharding_options completed_sharding(sharding_options options, environment& env) {
    if (options.identity().empty()) {
        options.identity(env.variable("HOSTNAME").value_or("replica") + "_" + random_uuid(env));
    }
    if (!options.group().namespace_.empty()) return options;
    const auto own = env.read_file("/var/run/secrets/kubernetes.io/serviceaccount/namespace", 4096);
    const std::string name = own ? own->substr(0, own->find_first_of("\r\n")) : std::string();
    sharding_options out(namespaced_name(name, options.group().name));
    out.identity(options.identity()).weight(options.weight()).unsharded_clusters(options.unsharded_clusters());
    out.lease_duration(options.lease_duration()).renew_deadline(options.renew_deadline());
    return out.retry_period(options.retry_period()).settle_period(options.settle_period());
}

inline shard_settings shard_settings_of(const sharding_options& options) {
    shard_settings out;
    out.identity = options.identity();
    out.group = options.group().name;
    out.namespace_ = options.group().namespace_;
    out.weight = options.weight();
    out.lease = options.lease_duration();
    out.retry = options.retry_period();
    out.settle = options.settle_period();
    return out;
}

KCONTROL_DECL cluster_sharding::cluster_sharding(environment& env, executor ex, client home, sharding_options options,
                                                 logger log)
    : env_(env),
      ex_(std::move(ex)),
      home_(home.live()),  // who has what is decided by the newest
      options_(completed_sharding(std::move(options), env)),
      log_(log.with("sharding", to_string(options_.group()))),
      machine_(shard_settings_of(options_)),
      requests_(env, ex_, log_) {
    lifetime_.stop();  // start() begins it
    make_elector();
}

KCONTROL_DECL void cluster_sharding::make_elector() {
    const std::string& group = options_.group().name;
    leader_options own(namespaced_name(options_.group().namespace_, peer_lease_name(group, options_.identity())));
    own.identity(options_.identity()).lease_duration(options_.lease_duration());
    own.renew_deadline(options_.renew_deadline()).retry_period(options_.retry_period());
    own.labels(shard_labels(group, "peer"));
    own.annotations({{shard_weight_annotation, std::to_string(options_.weight())}});
    leader_callbacks on;
    on.on_started_leading([this](std::stop_token stop) { return term(shared_from_this(), std::move(stop)); });
    elector_ = std::make_unique<leader_elector>(env_, ex_, home_, std::move(own), on, log_);
}

KCONTROL_DECL result<void> cluster_sharding::start() {
    result<void> usable = options_.validate();
    if (!usable) return usable;
    result<void> contends = elector_->start();
    if (!contends) return contends;
    ++turn_;
    machine_.drain(false);
    if (!lifetime_.stopped()) return {};
    lifetime_.rebuild();
    watch();
    boost::asio::co_spawn(ex_, run(weak_from_this(), env_, lifetime_.token()), boost::asio::detached);
    return {};
}

// The replicas renew their Leases all the time: a watch that is silent for as long as one lasts is none.
KCONTROL_DECL void cluster_sharding::watch() {
    informer_options how;
    how.in_namespace(options_.group().namespace_);
    how.label_selector(std::string(shard_group_label) + "=" + options_.group().name);
    how.watch_idle(options_.lease_duration()).probe_period(options_.lease_duration()).log(log_);
    leases_ = std::make_unique<any_informer>(env_, ex_, home_, resource_of<shard_lease>(), std::move(how));
    events_ = leases_->subscribe([this](const any_event& event) {
        const auto lease = event.object().as<shard_lease>();
        if (!lease) return;
        if (event.type == event_type::deleted) {
            machine_.vanished(*lease);
        } else {
            machine_.observed(*lease, env_.boot_now());
        }
        drive();
    });
    states_ = leases_->on_status_change([this](const informer_status& status) { tell_watch(status); });
    leases_->start();
}

KCONTROL_DECL void cluster_sharding::tell_watch(const informer_status& status) {
    if (status.state != informer_state::live && !status.reason.empty() && status.reason != watch_trouble_) {
        log_.warning("the Leases of the replicas can't be watched; each keeps the clusters that it has",
                     {{"state", std::string(to_string(status.state))}, {"reason", status.reason}});
    }
    watch_trouble_ = status.reason;
    if (status.synced) take_all();
}

// Handlers may be told later than that the list is complete.
KCONTROL_DECL void cluster_sharding::take_all() {
    for (const any_object& one : leases_->objects().list("")) {
        if (const auto lease = one.as<shard_lease>()) machine_.observed(*lease, env_.boot_now());
    }
    machine_.synced();
    drive();
}

KCONTROL_DECL void cluster_sharding::want(const std::set<std::string>& clusters) {
    machine_.want(clusters);
    drive();
}

KCONTROL_DECL void cluster_sharding::disengaged(const std::string& cluster) {
    machine_.disengaged(cluster, env_.boot_now());
    drive();
}

KCONTROL_DECL write_guard cluster_sharding::gate(const std::string& cluster) const {
    const auto found = holds_.find(cluster);
    const auto mine = found == holds_.end() ? nullptr : found->second;
    return [mine, cluster, fence = elector_->fence()]() -> result<duration> {
        if (!mine || mine->over) {
            return error(errc::not_leading,
                         "cluster " + cluster + " is another replica's, which this one leaves it to");
        }
        return fence.remaining();
    };
}

KCONTROL_DECL void cluster_sharding::drive() {
    again_ = true;
    if (std::exchange(driving_, true)) return;
    while (std::exchange(again_, false)) {
        for (const shard_action& action : machine_.next(env_.boot_now(), env_.wall_now())) act(action);
    }
    driving_ = false;
    changed_->notify_all();
    machine_.count(stats_);
    if (publish_) publish_(stats_);
}

KCONTROL_DECL void cluster_sharding::act(const shard_action& action) {
    if (action.verb == shard_verb::engage) {
        holds_[action.name] = std::make_shared<hold>();
        ++stats_.acquired;
        log_.info("the cluster is this replica's", {{"cluster", action.name}});
        if (engage_) engage_(action.name);
    } else if (action.verb == shard_verb::disengage) {
        const auto found = holds_.find(action.name);
        found->second->over = true;
        holds_.erase(found);
        ++stats_.released;
        log_.info("the cluster is given away", {{"cluster", action.name}});
        if (disengage_) disengage_(action.name);
    } else if (!gone_) {
        requests_.spawn(request(shared_from_this(), action));
    }
}

// The work of the own Lease's elector, which holds that until this has returned.
KCONTROL_DECL awaitable<void> cluster_sharding::term(std::shared_ptr<cluster_sharding> self, std::stop_token stop) {
    if (stop.stop_requested()) co_return;
    self->machine_.begin_term(self->env_.boot_now());
    self->drive();
    async_event never;
    co_await never.wait(self->env_, stop);
    self->machine_.end_term();
    self->drive();
    while (!self->gone_ && !self->machine_.idle()) {
        const time_point look_again = self->env_.now() + std::chrono::minutes(1);
        co_await self->changed_->wait(self->env_, {}, look_again);
    }
}

// Timers do not count suspension, and are late after it; the fence does not need them.
KCONTROL_DECL awaitable<void> cluster_sharding::run(std::weak_ptr<cluster_sharding> weak, environment& env,
                                                    std::stop_token stop) {
    while (!stop.stop_requested()) {
        auto self = weak.lock();
        if (!self) co_return;
        const duration left = std::min<duration>(std::chrono::hours(1), self->machine_.until() - env.boot_now());
        const time_point deadline = env.now() + left;
        const auto changed = self->changed_;
        self.reset();
        const wake why = co_await changed->wait(env, stop, deadline);
        self = weak.lock();
        if (self && why == wake::timeout) self->drive();
    }
}

KCONTROL_DECL awaitable<void> cluster_sharding::request(std::shared_ptr<cluster_sharding> self, shard_action action) {
    const bool ends = action.verb == shard_verb::release || action.verb == shard_verb::expel;
    if (ends) {
        co_await request_end(self, std::move(action));
    } else {
        co_await request_lease(self, std::move(action));
    }
    if (!self->gone_) self->drive();
}

KCONTROL_DECL awaitable<void> cluster_sharding::request_end(std::shared_ptr<cluster_sharding> self,
                                                            shard_action action) {
    const auto& meta = action.object.metadata;
    const namespaced_name key(meta.namespace_.str(), meta.name.str());
    delete_options how;
    how.precondition_uid(meta.uid.str()).precondition_resource_version(meta.resource_version.str());
    how.deadline(self->request_time());
    const result<void> answer = co_await self->home_.delete_<shard_lease>(key, how);
    if (!answer) self->note(action, answer.error());
    const time_point now = self->env_.boot_now();
    const double unit = random_unit(self->env_);
    if (action.verb == shard_verb::release) {
        self->machine_.released(action.name, answer, now, unit);
        co_return;
    }
    if (answer) {
        ++self->stats_.removed_peers;
        self->log_.info("a replica that gave no sign is taken for dead", {{"lease", action.name}});
    }
    self->machine_.expelled(action.name, answer, now, unit);
}

KCONTROL_DECL awaitable<void> cluster_sharding::request_lease(std::shared_ptr<cluster_sharding> self,
                                                              shard_action action) {
    const auto& meta = action.object.metadata;
    const namespaced_name key(meta.namespace_.str(), meta.name.str());
    const auto write = write_options().deadline(self->request_time());
    const auto read = get_options().deadline(self->request_time());
    result<shard_lease> answer = error(errc::unavailable);
    if (action.verb != shard_verb::take) {
        answer = co_await self->home_.get<shard_lease>(key, read);
    } else if (meta.resource_version.empty()) {
        answer = co_await self->home_.create(action.object, write);
    } else {
        answer = co_await self->home_.update(action.object, write);
    }
    if (!answer) self->note(action, answer.error());
    const time_point now = self->env_.boot_now();
    const double unit = random_unit(self->env_);
    if (action.verb == shard_verb::take) {
        self->machine_.took(action.name, answer, now, unit);
    } else if (action.verb == shard_verb::look) {
        self->machine_.looked(action.name, answer, now, unit);
    } else {
        self->machine_.confirmed(action.name, answer, now, unit);
    }
}

// That another one was faster is no trouble.
KCONTROL_DECL void cluster_sharding::note(const shard_action& action, const error& why) {
    if (why == condition::conflict || why == condition::not_found || why == api_errc::already_exists) return;
    ++stats_.failures;
    if (gone_ || why.what() == trouble_) return;
    trouble_ = why.what();
    log_.warning("a Lease of the sharding could not be read or written; that is tried again",
                 {{"about", action.name}, {"error", trouble_}});
}

KCONTROL_DECL awaitable<void> cluster_sharding::stop(std::shared_ptr<cluster_sharding> self, time_point deadline) {
    const std::uint64_t turn = self->turn_;
    self->machine_.drain(true);
    self->drive();
    while (!self->machine_.idle() && self->env_.now() < deadline && turn == self->turn_) {
        co_await self->changed_->wait(self->env_, {}, deadline);
    }
    if (turn != self->turn_) co_return;
    const duration left = std::max<duration>(deadline - self->env_.now(), duration::zero());
    const bool returned = co_await self->elector_->stop(left);
    static_cast<void>(returned);  // what has not is told by its cluster
    if (turn != self->turn_) co_return;
    self->lifetime_.stop();
    self->events_.reset();
    self->states_.reset();
    self->leases_.reset();
}

KCONTROL_DECL void cluster_sharding::abandon() noexcept {
    gone_ = true;
    engage_ = disengage_ = nullptr;
    publish_ = nullptr;
    for (const auto& [name, one] : holds_) one->over = true;
    elector_.reset();
    lifetime_.stop();
    events_.reset();
    states_.reset();
    leases_.reset();
}

}  // namespace kcontrol::detail

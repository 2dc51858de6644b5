// Shares clusters with the other replicas: holds this one's Lease, watches all of the group, and asks what the
// shard_machine says.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/leader/leader_elector.hpp>
#include <kcontrol/multicluster/detail/shard_machine.hpp>
#include <kcontrol/multicluster/sharding_options.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace kcontrol::inline v0_1::detail {

/// Held by a shared pointer. Its functions are called on the executor.
///
/// Thread-safety: shared objects unsafe; use it on the executor, a strand or a single-threaded context. What gate()
/// returns may be asked on any thread.
/// Cancellation: stop(). Object lifetime: abandon() before the last use of what its functions are about.
class cluster_sharding : public std::enable_shared_from_this<cluster_sharding> {
public:
    using told = std::function<void(const std::string& cluster)>;

    KCONTROL_DECL cluster_sharding(environment& env, executor ex, client home, sharding_options options, logger log);

    /// `engage`: the cluster is this replica's. `disengage`: it is not any more; disengaged() is called when nothing is
    /// done there.
    /// `publish`: after each change, and now and then without one.
    void notify(told engage, told disengage, std::function<void(const sharding_stats&)> publish) {
        engage_ = std::move(engage);
        disengage_ = std::move(disengage);
        publish_ = std::move(publish);
    }
    /// Errors: those of sharding_options::validate() and of leader_elector::start(). Does nothing while it runs.
    KCONTROL_DECL result<void> start();
    KCONTROL_DECL void want(const std::set<std::string>& clusters);
    KCONTROL_DECL void disengaged(const std::string& cluster);
    /// Whether requests to that cluster may be sent, as long as it is this replica's now. Nothing may be sent later,
    /// also if it is again.
    KCONTROL_DECL write_guard gate(const std::string& cluster) const;
    bool holds(const std::string& cluster) const { return holds_.count(cluster) != 0; }

    /// All clusters are disengaged and given away, until `deadline`; then the replica's own Lease is given up.
    static KCONTROL_DECL awaitable<void> stop(std::shared_ptr<cluster_sharding> self, time_point deadline);
    /// Nothing is called or asked any more.
    KCONTROL_DECL void abandon() noexcept;

    sharding_status status() const { return machine_.status(); }
    const sharding_options& options() const noexcept { return options_; }
    const leader_elector& elector() const noexcept { return *elector_; }

private:
    struct hold {
        std::atomic<bool> over = false;
    };

    KCONTROL_DECL void make_elector();
    KCONTROL_DECL void watch();
    KCONTROL_DECL void take_all();
    KCONTROL_DECL void tell_watch(const informer_status& status);
    // Does what is to be done now. What is told meanwhile is looked at before it returns.
    KCONTROL_DECL void drive();
    KCONTROL_DECL void act(const shard_action& action);
    KCONTROL_DECL void note(const shard_action& action, const error& why);
    static KCONTROL_DECL awaitable<void> term(std::shared_ptr<cluster_sharding> self, std::stop_token stop);
    static KCONTROL_DECL awaitable<void> run(std::weak_ptr<cluster_sharding> weak, environment& env,
                                             std::stop_token stop);
    static KCONTROL_DECL awaitable<void> request(std::shared_ptr<cluster_sharding> self, shard_action action);
    static KCONTROL_DECL awaitable<void> request_lease(std::shared_ptr<cluster_sharding> self, shard_action action);
    static KCONTROL_DECL awaitable<void> request_end(std::shared_ptr<cluster_sharding> self, shard_action action);
    // As the elector's.
    duration request_time() const { return std::max<duration>(std::chrono::seconds(1), options_.renew_deadline() / 2); }

    environment& env_;
    executor ex_;
    client home_;
    sharding_options options_;
    logger log_;
    told engage_, disengage_;
    std::function<void(const sharding_stats&)> publish_;
    sharding_stats stats_;
    std::unique_ptr<leader_elector> elector_;
    shard_machine machine_;
    task_group requests_;
    scope lifetime_;
    std::unique_ptr<any_informer> leases_;
    subscription events_, states_;
    std::map<std::string, std::shared_ptr<hold>> holds_;
    std::shared_ptr<async_event> changed_ = std::make_shared<async_event>();
    bool driving_ = false, again_ = false;
    bool gone_ = false;       // by abandon()
    std::uint64_t turn_ = 0;  // counts starts
    std::string trouble_, watch_trouble_;
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/cluster_sharding.ipp>
#endif

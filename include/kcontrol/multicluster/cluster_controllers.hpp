// What a multicluster_controller makes: one controller in each cluster, and the way of requests between them.
#pragma once

#include <kcontrol/controller/builder.hpp>
#include <kcontrol/multicluster/cluster_aware.hpp>
#include <kcontrol/multicluster/detail/cluster_feed.hpp>
#include <kcontrol/multicluster/detail/cluster_mailbox.hpp>
#include <kcontrol/multicluster/engaged_cluster.hpp>
#include <kcontrol/runtime/log_rate_limit.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1 {

/// The controllers of one name in all clusters that engage. Each has the queue, the workers, the limits and the backoff
/// of its own that any controller has, so that what goes wrong in a cluster costs no other anything; it ends with its
/// cluster, its requests and daemons with it.
///
/// A request whose `cluster` is another one's goes there. It waits where that has no controller that runs: it has not
/// engaged, or does not lead. At most 10,000 wait for a cluster; of one that is not desired any more they are dropped.
///
/// Thread-safety: shared objects safe.
/// Object lifetime: the multicluster_manager keeps it; before that goes, or with it, the last handle goes.
class cluster_controllers final : public cluster_aware, public std::enable_shared_from_this<cluster_controllers> {
public:
    /// Which clusters count.
    using choice = std::function<bool(const engaged_cluster&)>;
    /// Makes the controller of the cluster whose host that is.
    using recipe = std::function<result<std::shared_ptr<controller>>(controller_host&)>;

    /// For multicluster_controller, which says the rest. `name`: that of each cluster's controller.
    KCONTROL_DECL cluster_controllers(environment& env, std::string name, logger log);

    const std::string& name() const noexcept override { return name_; }

    /// Enqueues a request of the cluster that it names. False where too many wait already; that one is dropped.
    KCONTROL_DECL bool enqueue(const request& req, const add_options& how = {});

    /// The clusters that have a controller now, sorted.
    KCONTROL_DECL std::vector<std::string> clusters() const;
    /// Requests that wait for a cluster's controller to run.
    KCONTROL_DECL std::size_t waiting() const;
    /// Requests that were dropped because too many waited.
    KCONTROL_DECL std::uint64_t dropped() const;

    KCONTROL_DECL result<void> engage(engaged_cluster& of) override;
    KCONTROL_DECL void removed(const std::string& cluster) override;

private:
    template <class T>
    friend class multicluster_controller_for;
    class part_host;

    KCONTROL_DECL bool send(const request& req, const add_options& how, const std::string& from);
    KCONTROL_DECL std::shared_ptr<detail::cluster_mailbox> mailbox_of(const std::string& cluster);

    environment& env_;
    const std::string name_;
    const logger log_;
    // Said before it is added to a manager, and not changed afterwards.
    recipe make_;
    choice wanted_;
    bool always_ = false;
    std::vector<std::shared_ptr<detail::cluster_feed>> feeds_;

    mutable std::mutex mutex_;  // guards what follows
    std::map<std::string, std::weak_ptr<controller>> parts_;
    std::map<std::string, std::shared_ptr<detail::cluster_mailbox>> mailboxes_;
    std::uint64_t dropped_ = 0;
    log_rate_limit drops_told_{std::chrono::minutes(1)};
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/cluster_controllers.ipp>
#endif

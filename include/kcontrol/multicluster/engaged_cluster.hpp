// One cluster of many: its client, informers and controllers.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/cluster/cluster.hpp>
#include <kcontrol/cluster/informer_report.hpp>
#include <kcontrol/controller/host.hpp>
#include <kcontrol/leader/leader_fence.hpp>
#include <kcontrol/multicluster/cluster_source.hpp>
#include <kcontrol/multicluster/cluster_status.hpp>
#include <kcontrol/multicluster/options.hpp>
#include <kcontrol/runtime/user_task.hpp>

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1 {
class cluster_aware;
namespace detail {
class cluster_board;
}

/// One cluster of a multicluster_manager. It is engaged from its first usable configuration on until disengage(): what
/// `cluster` and `controller_host` offer may be used in that time, so a controller_builder builds on it as on a
/// manager. When its configuration changes (new credentials, moved server) it rotates: informers, caches, handlers and
/// controllers stay and go on with another client.
///
/// Thread-safety: shared objects unsafe; every call belongs to the strand, but for request_stop().
/// Cancellation: disengage() ends this cluster's requests and nothing else's.
/// Object lifetime: destruction stops it without waiting; options' functions are not called afterwards.
class engaged_cluster final : public cluster, public controller_host {
public:
    /// `board` is where it leaves what its metrics are made of, if somebody wants to know. With a `fence` writes are
    /// refused while that is shut, and controllers run only while the multicluster_manager says that it leads.
    /// `namespaces` and `part`: see desired_cluster.
    KCONTROL_DECL engaged_cluster(environment& env, executor strand, std::string name,
                                  std::shared_ptr<const multicluster_options> options,
                                  std::shared_ptr<detail::cluster_board> board = nullptr,
                                  std::optional<leader_fence> fence = std::nullopt, cluster_labels labels = {},
                                  std::vector<std::string> namespaces = {}, cluster_part part = {});
    KCONTROL_DECL ~engaged_cluster() override;
    engaged_cluster(const engaged_cluster&) = delete;
    engaged_cluster& operator=(const engaged_cluster&) = delete;

    /// Engages with the first configuration, and rotates to each that differs from the one in use. While it disengages
    /// the configuration is kept, and put to use once it has.
    KCONTROL_DECL void engage(const auth::cluster_config& config, std::string warning);

    /// There is no usable configuration. What runs with the one before goes on.
    KCONTROL_DECL void refuse(const error& why);

    /// Ends all work for good, without waiting for it: no function of the options is called for it from here on, but
    /// for one that is being called. From any thread.
    KCONTROL_DECL void request_stop() noexcept;

    /// Stops the controllers, within the options' graceful_shutdown_timeout(), then the informers, and forgets both: it
    /// may be engaged again then, as if it were new. A reconcile of this cluster that awaits it is not waited for, and
    /// goes on afterwards. Idempotent.
    KCONTROL_DECL awaitable<void> disengage();

    KCONTROL_DECL cluster_status status() const;  ///< as it is at this moment, maybe not told to on_status() yet
    /// Where each informer of the cluster stands, those of controllers included.
    KCONTROL_DECL std::vector<informer_report> informer_reports() const;

    KCONTROL_DECL const std::string& name() const noexcept override;
    /// What its source says of it. They do not change.
    KCONTROL_DECL const cluster_labels& labels() const noexcept;
    /// Those that it is limited to. Empty: none. They do not change.
    KCONTROL_DECL const std::vector<std::string>& namespaces() const noexcept;
    /// The part of the cluster that it is limited to. It does not change.
    KCONTROL_DECL const cluster_part& part() const noexcept;
    KCONTROL_DECL environment& env() const noexcept override;  ///< that it was made with
    KCONTROL_DECL executor get_executor() const override;
    /// Its records carry the cluster's name.
    KCONTROL_DECL const logger& log() const noexcept override;
    /// With leader election its writes are refused with not_leading while this process does not lead, and none is
    /// waited for beyond that.
    KCONTROL_DECL client& get_client() noexcept override;
    /// The same without that, for what is written whether this process leads or not.
    KCONTROL_DECL client& get_unfenced_client() noexcept;
    KCONTROL_DECL std::vector<std::shared_ptr<any_informer>> informers_of(const resource_info& kind) override;
    KCONTROL_DECL std::shared_ptr<cached_source> source_of(const resource_info& kind) override;
    /// Kinds of multicluster_options::kinds() can't be removed.
    KCONTROL_DECL result<std::shared_ptr<cached_source>> source_with(const resource_info& kind,
                                                                     const kind_options& how) override;
    KCONTROL_DECL awaitable<result<void>> remove_informers_of(const resource_info& kind) override;
    KCONTROL_DECL std::shared_ptr<event_recorder> recorder_of(const event_recorder_options& options) override;

    cluster& get_cluster() noexcept override { return *this; }
    /// The same host for what runs whether this process leads or not: `controller_builder(c.always(), "seen")`.
    KCONTROL_DECL controller_host& always() noexcept;
    /// Runs the controller at once, or as soon as this process leads, until the cluster disengages. One whose sources
    /// did not sync in time (the cluster could not be reached) is run again after the informers' probe period. Errors:
    /// invalid_argument (its name is taken in this cluster), unavailable (the cluster is not engaged, or what
    /// on_engage() made before it threw is being taken back).
    KCONTROL_DECL result<void> add(std::shared_ptr<any_controller> added) override;

private:
    friend class multicluster_manager;
    struct impl;
    // On behalf of that task, which need not be known to the coroutine that awaits it.
    KCONTROL_DECL awaitable<void> disengage_for(user_task caller);
    KCONTROL_DECL void exclude(const user_task& caller);
    // Tells it of this cluster, if that has engaged; else it is told when that does.
    KCONTROL_DECL void introduce_to(cluster_aware& work);
    // This process leads until `stop` is triggered. It returns when the controllers have.
    KCONTROL_DECL awaitable<void> lead(std::stop_token stop);

    std::shared_ptr<impl> impl_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/engaged_cluster.ipp>
#endif

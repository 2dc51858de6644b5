// The objects of a kind in one cluster, for controllers in all the others.
#pragma once

#include <kcontrol/cluster/cache_options.hpp>
#include <kcontrol/cluster/source.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/guarded_calls.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1 {
class engaged_cluster;
}

namespace kcontrol::inline v0_1::detail {

/// Follows a kind in the cluster of that name, and tells controllers in other clusters, each where it works. While that
/// cluster is away, what it had stays; when it comes back, what differs is told, deletions too. A listener that is
/// behind is told the newest state of an object, not each, so that what waits is bounded by the number of objects.
///
/// Thread-safety: get(), view(), attach() and destruction: shared objects safe.
/// Object lifetime: the environment, the resource_info and the cluster's context outlive it.
class cluster_feed : public std::enable_shared_from_this<cluster_feed> {
public:
    KCONTROL_DECL cluster_feed(environment& env, std::string cluster, const resource_info& kind,
                               std::optional<kind_options> how, logger log);
    KCONTROL_DECL ~cluster_feed();
    cluster_feed(const cluster_feed&) = delete;
    cluster_feed& operator=(const cluster_feed&) = delete;

    const std::string& cluster() const noexcept { return cluster_; }
    /// The cluster has engaged; where that works. Errors: those of cluster::source_with().
    KCONTROL_DECL result<void> attach(engaged_cluster& of);
    /// Hears nothing more of the cluster, until attach(); what it had stays.
    KCONTROL_DECL void detach();
    KCONTROL_DECL any_object get(const namespaced_name& key) const;
    KCONTROL_DECL std::string describe() const;
    const std::string& kind() const noexcept { return kind_.gvk.kind; }

    /// As a source for a controller that works on `ex`; to be used there.
    KCONTROL_DECL std::shared_ptr<cached_source> view(executor ex);

private:
    class listener;
    class feed_view;
    // What is on the cluster's strand, and ends there.
    struct attachment {
        std::shared_ptr<cached_source> source;
        subscription hold;
        std::stop_source stop;
    };
    struct kept {
        any_object object;
        std::uint64_t term = 0;  // the attachment that told it last
    };

    KCONTROL_DECL void take(std::uint64_t of_term, const any_event& event);
    KCONTROL_DECL void finish_list(std::uint64_t of_term);
    KCONTROL_DECL void mark(const namespaced_name& key, const any_object& before);
    KCONTROL_DECL static awaitable<void> watch_sync(std::weak_ptr<cluster_feed> feed,
                                                    std::shared_ptr<cached_source> source, std::uint64_t term,
                                                    std::stop_token stop);

    environment& env_;
    const std::string cluster_;
    const resource_info& kind_;
    const std::optional<kind_options> how_;
    const logger log_;

    mutable std::mutex mutex_;  // guards what follows
    std::optional<executor> strand_;
    std::shared_ptr<attachment> attached_;
    std::uint64_t term_ = 0;
    bool synced_ = false;  // ever
    std::map<namespaced_name, kept> objects_;
    std::vector<std::weak_ptr<listener>> listeners_;
    std::vector<std::weak_ptr<feed_view>> views_;
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/cluster_feed.ipp>
#endif

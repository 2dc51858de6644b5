// What sources share whose clusters are objects of a home cluster: they watch one kind there, and tell what it amounts
// to.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/multicluster/cluster_source.hpp>
#include <kcontrol/multicluster/detail/set_publisher.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// Nothing is told before the kind was listed. While the home cluster can't be reached the clusters stay as they are.
///
/// Thread-safety: shared objects unsafe; use it on the executor. Held by a shared pointer, for who is told may destroy
/// the source.
class object_source : public std::enable_shared_from_this<object_source> {
public:
    /// `whose` and `what` stand in the log: "secret_source", "Secrets with clusters".
    KCONTROL_DECL object_source(environment& e, executor x, auth::cluster_config home,
                                http::transport_factory transport, const std::string& whose, std::string what,
                                logger l);
    KCONTROL_DECL virtual ~object_source();
    object_source(const object_source&) = delete;
    object_source& operator=(const object_source&) = delete;

    /// `kind` outlives it. Errors: invalid_argument (it runs already), the home cluster's configuration can't be used.
    KCONTROL_DECL result<void> start(const resource_info& kind, informer_options settings,
                                     std::function<void(std::vector<desired_cluster>)> on_change);
    KCONTROL_DECL void stop();

protected:
    /// One object was added, changed or deleted: to be said with put() and remove().
    virtual void take(const any_event& event) = 0;
    /// Nothing is known any more.
    virtual void forget() {}

    /// That cluster is so. Where it was good before and is not now, the configuration before it stays, with a warning.
    KCONTROL_DECL void put(const std::string& name, result<auth::cluster_config> config, const object_meta& from);
    void remove(const std::string& name) { clusters_.erase(name); }
    /// What is known of it; null if nothing is.
    desired_cluster* find(const std::string& name) {
        const auto found = clusters_.find(name);
        return found == clusters_.end() ? nullptr : &found->second;
    }

    environment& env;
    executor ex;
    logger log;

private:
    KCONTROL_DECL void take_status(const informer_status& status);
    KCONTROL_DECL std::optional<std::vector<desired_cluster>> present() const;

    auth::cluster_config home_;
    http::transport_factory transport_;
    std::string what_;
    std::map<std::string, desired_cluster> clusters_;
    std::shared_ptr<set_publisher> publisher_;
    std::unique_ptr<any_informer> informer_;
    subscription handler_;
    subscription status_handler_;
    std::string last_reason_;
};

/// A cluster's name after an object: where objects of all namespaces are clusters, with the namespace.
inline std::string name_after(std::string_view name, std::string_view ns, const std::string& only_namespace) {
    if (!only_namespace.empty()) return std::string(name);
    return std::string(ns).append("/").append(name);
}

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/object_source.ipp>
#endif

// The settings of the in-process API server.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/http/endpoint.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::testing {

/// The settings of a server's memory.
class store_options {
public:
    /// Changes that each kind remembers; what asks for older ones gets 410. Default 10,000.
    store_options& history_window(std::size_t events) { return history_window_ = events, *this; }
    /// The resourceVersion of an empty store; the first change gets the next. Default 100.
    store_options& first_version(std::uint64_t version) { return first_version_ = version, *this; }
    /// Refuses new objects in namespaces that are not there, with NotFound. Default true.
    store_options& require_namespace(bool yes) { return require_namespace_ = yes, *this; }

    /// Makes of objects what a real server does: reads them by their types, defaults, validates. Default false.
    store_options& default_and_validate(bool yes) { return default_and_validate_ = yes, *this; }
    /// Takes rules of CustomResourceDefinitions that this server's CEL does not know. Default false.
    store_options& lenient_cel(bool yes) { return lenient_cel_ = yes, *this; }
    /// Lets a delete set the finalizers orphan and foregroundDeletion, for a collector. Default false.
    store_options& collects_garbage(bool yes) { return collects_garbage_ = yes, *this; }

    /// How many changes each kind remembers.
    std::size_t history_window() const noexcept { return history_window_; }
    std::uint64_t first_version() const noexcept { return first_version_; }
    /// Whether a namespace must exist before objects are created in it.
    bool require_namespace() const noexcept { return require_namespace_; }
    /// Whether objects of Kubernetes' own kinds are read, defaulted and validated as a real server does it, and every
    /// object's managedFields are kept from its first write on.
    bool default_and_validate() const noexcept { return default_and_validate_; }
    /// Whether rules of CustomResourceDefinitions that this server can't parse are taken, and not enforced.
    bool lenient_cel() const noexcept { return lenient_cel_; }
    /// Whether somebody acts on the finalizers orphan and foregroundDeletion, so that a delete sets them.
    bool collects_garbage() const noexcept { return collects_garbage_; }

private:
    std::size_t history_window_ = 10'000;
    std::uint64_t first_version_ = 100;
    bool require_namespace_ = true;
    bool collects_garbage_ = false;
    bool lenient_cel_ = false;
    bool default_and_validate_ = false;
};

/// Where a Service is, for a server that has no cluster network: its namespace, name and port.
using service_resolver =
    std::function<http::endpoint(const std::string& ns, const std::string& name, std::uint16_t port)>;

/// The settings of a server.
class api_server_options {
public:
    /// Settings of the objects' memory. default_and_validate(), collect_garbage() and lenient_cel() switch theirs on.
    api_server_options& store(store_options options) { return store_ = options, *this; }
    /// Between two bookmarks of a watch that asks for them; default 60 s.
    api_server_options& bookmark_period(duration d) { return bookmark_period_ = d, *this; }
    /// A watch without timeoutSeconds ends between this and twice this; default 30 min.
    api_server_options& min_watch_timeout(duration d) { return min_watch_timeout_ = d, *this; }

    /// Lets a watch begin with all objects (sendInitialEvents, KEP-3157); default true.
    api_server_options& serve_watch_lists(bool yes) { return serve_watch_lists_ = yes, *this; }
    /// Makes of objects what a real server does: defaults, validation, no unknown fields. Default false.
    api_server_options& default_and_validate(bool yes) { return default_and_validate_ = yes, *this; }
    /// Takes CustomResourceDefinitions with rules (x-kubernetes-validations) that this server's CEL does not know, such
    /// as those with a function of a newer Kubernetes. They are not enforced; the log gets a warning for each. Default
    /// false: they are refused with their place. Rules that are wrong are refused always.
    api_server_options& lenient_cel(bool yes) { return lenient_cel_ = yes, *this; }
    /// Where warnings go. Default: nowhere; for local_api_server, the log that it has.
    api_server_options& log(logger l) { return log_ = std::move(l), *this; }
    /// Lets a garbage collector act: objects go with their owners. Default false.
    api_server_options& collect_garbage(bool yes) { return collect_garbage_ = yes, *this; }
    /// How long the collector waits after a change; default 0.
    api_server_options& collection_delay(duration d) { return collection_delay_ = d, *this; }

    /// Lets Roles and their bindings say who may do what (RBAC); default false: only access() forbids.
    api_server_options& enforce_rbac(bool yes) { return enforce_rbac_ = yes, *this; }

    /// How webhooks are reached; sim_server and local_api_server have one of their own unless told otherwise.
    api_server_options& webhook_transport(http::transport_factory f) {
        return webhook_transport_ = std::move(f), *this;
    }
    /// Where the services of webhooks are. By default each is a host, NAME.NAMESPACE.svc.
    api_server_options& webhook_services(service_resolver r) { return webhook_services_ = std::move(r), *this; }

    const http::transport_factory& webhook_transport() const noexcept { return webhook_transport_; }
    const service_resolver& webhook_services() const noexcept { return webhook_services_; }
    const store_options& store() const noexcept { return store_; }
    /// Between two bookmarks of a watch; another one comes 2 s before its end.
    duration bookmark_period() const noexcept { return bookmark_period_; }
    /// A watch without timeoutSeconds ends at random between this and twice this.
    duration min_watch_timeout() const noexcept { return min_watch_timeout_; }
    /// Whether a watch may begin with all objects and say where they end (sendInitialEvents), as since Kubernetes 1.34.
    /// Off: it is refused, as by an older server.
    bool serves_watch_lists() const noexcept { return serve_watch_lists_; }
    /// Whether objects of Kubernetes' own kinds get defaults, are validated and lose unknown fields, as on a real
    /// server, and managedFields are kept from an object's first write on. Off: what is written is what is kept.
    bool defaults_and_validates() const noexcept { return default_and_validate_; }
    /// Whether rules that this server's CEL does not know are taken, and not enforced.
    bool lenient_cel() const noexcept { return lenient_cel_; }
    const std::optional<logger>& log() const noexcept { return log_; }
    /// Whether a garbage collector acts, as in a cluster: objects go with their owners, and a delete heeds its
    /// propagationPolicy. Without one every delete is a background one that nobody's dependents follow.
    bool collects_garbage() const noexcept { return collect_garbage_; }
    /// Whether Roles and their bindings say who may do what (RBAC), and users may be impersonated by those whom they
    /// allow that. Off: everything is allowed that access() does not forbid.
    bool enforces_rbac() const noexcept { return enforce_rbac_; }
    /// How long the collector takes to notice.
    duration collection_delay() const noexcept { return collection_delay_; }

private:
    store_options store_;
    http::transport_factory webhook_transport_;
    service_resolver webhook_services_;
    std::optional<logger> log_;
    bool serve_watch_lists_ = true;
    bool default_and_validate_ = false;
    bool lenient_cel_ = false;
    bool collect_garbage_ = false;
    bool enforce_rbac_ = false;
    duration collection_delay_ = duration::zero();
    duration bookmark_period_ = std::chrono::seconds(60);
    duration min_watch_timeout_ = std::chrono::minutes(30);
};

}  // namespace kcontrol::testing

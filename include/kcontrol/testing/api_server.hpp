// The in-process API server: Kubernetes' REST API over objects in memory, for tests, demonstrations and the simulator.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/http/handler.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/testing/access_control.hpp>
#include <kcontrol/testing/api_server_options.hpp>
#include <kcontrol/testing/change.hpp>
#include <kcontrol/testing/delete_request.hpp>
#include <kcontrol/testing/fault.hpp>
#include <kcontrol/testing/pod_streams.hpp>
#include <kcontrol/testing/request_log.hpp>
#include <kcontrol/testing/resource_type.hpp>
#include <kcontrol/testing/store_snapshot.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::testing {

namespace detail {
class api_server_core;
}

/// Serves the Kubernetes API as far as controllers and `kubectl get/create/patch/delete` need it: discovery, CRUD,
/// lists with resourceVersion and pages, watches with history, bookmarks and 410, JSON and merge patches, server-side
/// apply, the status subresource, finalizers, dry run, CustomResourceDefinitions, tables. Namespaces "default" and
/// "kube-system" exist.
///
/// Server-side apply keeps managedFields of an object from the first apply on; what was there before belongs to
/// "before-first-apply", which is what Kubernetes does with objects older than managedFields. So servers to which
/// nothing is applied pay nothing. Maps are merged, and lists of which the server knows the keys: those of a
/// CustomResourceDefinition's schema (x-kubernetes-list-type), finalizers, owner references, containers, env, ports,
/// volumes, conditions and their like of built-in kinds. All other lists are owned as a whole. A map or list that an
/// apply empties is removed; Kubernetes leaves null there in custom kinds, and refuses that where the schema does.
/// Other than in Kubernetes, the number of updaters on record has no limit (there: 10).
///
/// What it does not do: admission other than by webhooks, quota. Objects are defaulted and validated, custom ones by
/// the schema of their definition, and garbage is collected by owner, only if the options say so (docs/apiserver.md). A
/// list that asks for a version ahead of the server is refused at once, where a real one waits 3 s first.
///
/// Thread-safety: shared objects unsafe; use it on its executor, a strand or a single-threaded context, where its
/// handler runs, too.
/// Object lifetime: requests in progress keep what they need; the environment outlives them. Destruction ends watches.
class api_server {
public:
    /// It serves the built-in kinds from the start, to whoever calls handler(). Times and random numbers are those of
    /// `env`.
    api_server(environment& env, executor ex, api_server_options options = {});
    ~api_server();
    api_server(const api_server&) = delete;
    api_server& operator=(const api_server&) = delete;

    executor get_executor() const { return executor_; }  ///< that it was made with

    /// Answers requests; any number of HTTP servers (or simulated networks) may call it.
    http::handler handler();

    /// Kinds. One that is registered like this needs no CustomResourceDefinition.
    void register_resource(resource_type type);
    /// As when a CustomResourceDefinition is deleted: objects go, watches end, requests get 404.
    bool remove_resource(const group_resource& id);

    /// Writes as a client would, without HTTP, faults and access control. The kind is that of the object's apiVersion
    /// and kind, its namespace "default" unless it names one. Errors: those of the API.
    result<json::value> create(json::value object);
    /// The whole object but for its status, where its kind has that subresource. A resourceVersion in it must be the
    /// present one.
    result<json::value> update(json::value object);
    /// The status alone: all else stays as it is stored. A resourceVersion in the object must be the present one.
    result<json::value> update_status(json::value object);
    /// Applies a merge patch; `subresource` "" or "status".
    result<json::value> patch(const group_resource& id, const namespaced_name& key, const json::value& merge_patch,
                              std::string subresource = {});
    /// Server-side apply.
    result<json::value> apply(json::value object, std::string field_manager, bool force = false,
                              std::string subresource = {});
    /// Deletes as `request` says; what finalizers or a grace keep is terminating then. Errors: those of the API, and
    /// no_such_kind (not served).
    result<void> remove(const group_resource& id, const namespaced_name& key, const delete_request& request = {});
    /// The object in the preferred version of its kind. Errors: NotFound of the API, and no_such_kind (not served).
    result<json::value> get(const group_resource& id, const namespaced_name& key) const;
    /// All objects of a kind, or those of one namespace, in order of namespace and name.
    std::vector<json::value> list(const group_resource& id, std::string_view ns = {}) const;

    /// Called after each change, with the object as it is now, or was at its end, as long as the handle lives. It is
    /// called in the middle of the write, so it writes nothing itself.
    using change_listener = std::function<void(const resource_type&, change, const json::value& object)>;
    /// Calls it after each change from now on.
    [[nodiscard]] std::shared_ptr<void> on_change(change_listener listener);

    /// The version of the last change.
    std::uint64_t resource_version() const;
    /// Forgets history up to `version`: older lists and watches get 410.
    void compact(std::uint64_t version);
    /// How many changes each kind remembers from now on.
    void set_history_window(std::size_t events);

    /// What an etcd holds, and an etcd that is put back to it while the server is stopped: all watches break, and the
    /// history is forgotten.
    store_snapshot snapshot() const;
    void restore(const store_snapshot& then);  ///< all is as it was then, the resource version too

    /// Ends all open watches properly, as an API server that shuts down does, or by breaking their connections.
    void end_watches();
    /// By a connection that breaks, as when the server dies.
    void break_watches();

    /// Replicas' caches: a frozen one shows lists with a resourceVersion, and watches, no change after `version` until
    /// it is thawed. A fault chooses the replica of a request; "" is the replica of all others.
    void freeze(const std::string& replica, std::uint64_t version);
    /// It shows the latest from now on. Nothing happens if it is not frozen.
    void thaw(const std::string& replica);

    /// What a container says: lines of its log, as `kubectl logs` shows them, until the pod is deleted.
    void write_log(const namespaced_name& pod, const std::string& container, std::string_view text);
    /// The container starts anew: what it has said so far is what `kubectl logs --previous` shows.
    void restart_log(const namespaced_name& pod, const std::string& container);

    /// Who plays containers (`kubectl exec` and `attach`), and their ports (open_port()); none: such requests get 501.
    /// They are served where clients come by a socket (local_api_server).
    void on_exec(exec_handler peer);
    void on_port(port_handler peer);  ///< who plays ports, for `kubectl port-forward`

    access_control& access();  ///< tokens and what is forbidden; at first nothing is
    /// The hook is asked for every request; null: no faults.
    void set_faults(fault_hook hook);
    /// An OpenAPI v3 document, as JSON text, for a group and version ("api/v1", "apis/apps/v1"): the server's own
    /// have neither schemas nor texts. Errors: invalid_argument, for a group and version that is not served.
    result<void> set_openapi(std::string_view group_version, std::string document);
    /// Whether /readyz says ok.
    void set_ready(bool ready);
    /// What was asked of handler(), faults included; not what create() and its like did.
    testing::request_log& request_log();

private:
    executor executor_;
    std::shared_ptr<detail::api_server_core> core_;
};

}  // namespace kcontrol::testing

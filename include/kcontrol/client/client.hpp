// The client: verbs on typed objects of one cluster.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/client/any_list.hpp>
#include <kcontrol/client/client_load.hpp>
#include <kcontrol/client/client_options.hpp>
#include <kcontrol/client/object_page.hpp>
#include <kcontrol/client/object_watch.hpp>
#include <kcontrol/client/options.hpp>
#include <kcontrol/client/request_counts.hpp>
#include <kcontrol/client/server_identity.hpp>
#include <kcontrol/client/watch_stream.hpp>
#include <kcontrol/client/write_guard.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/model/resource.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/trace.hpp>

#include <memory>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1 {

namespace auth {
class cluster_config;  // auth/cluster_config.hpp
}
class client_cache;        // client/client_cache.hpp
class subresource_client;  // client/subresource.hpp

namespace detail {
class client_defaults;
class client_state;
}  // namespace detail

/// A kind that the server serves, from discovery.
class served_resource {
public:
    served_resource() = default;
    group_version_kind gvk;  ///< its group and version are those that were asked for
    std::string plural;      ///< "pods", as paths have it
    bool namespaced = true;  ///< false: its objects are in no namespace
};

/// Talks to one API server. Cheap to copy: copies share the connection pool and the credentials.
///
/// Every verb is a coroutine that returns a result: NotFound and Conflict are ordinary outcomes. A 401 refreshes a
/// token that can be refreshed and tries once more. Answers 429 and 5xx with Retry-After are retried up to 10 times
/// within the deadline, which is what client-go does, and up to half as much later than they say. A write whose answer
/// was lost ends with unknown_outcome and is not repeated. Arguments are copied before the call returns; the client may
/// be destroyed while a call is in flight.
///
/// The client of a manager or an engaged cluster reads from that cluster's caches: get() and list() of a kind that is
/// watched are answered from there, and live() is the same client, which asks the server always. docs/cache.md says
/// what is read where, and which errors there are besides.
///
/// Errors, besides the API server's own (api_errc): invalid_argument (an unusable name or namespace, before anything is
/// sent), not_an_api_server (a web page, a redirect, an empty answer), decode_failed, those of http::transport, and
/// callback_failed if a transport of the program's own threw.
///
/// Thread-safety: calls are awaited on the executor that the client was made with, a strand or a context that one
/// thread runs. From any other thread, and from coroutines on other executors, async_get() and its likes
/// (client/async.hpp) may be called, with use_future or use_awaitable for one: they run the call there. Copying and
/// destroying is safe anywhere. The other members (guarded(), load(), close()…) belong to the executor. Programs
/// without a loop have blocking_client (client/blocking_client.hpp).
class client {
public:
    /// Makes a client; nothing is sent yet. Errors: invalid_config (unusable TLS material). Where the configuration
    /// says that the server is not to be verified, `log` gets a warning.
    static KCONTROL_DECL result<client> connect(environment& env, executor ex, const auth::cluster_config& config,
                                                const http::transport_factory& make_transport, logger log = {});

    // Not inline, and so compiled once: nearly every file of a user copies, moves and destroys some.
    KCONTROL_DECL client(const client&);
    KCONTROL_DECL client(client&&) noexcept;
    KCONTROL_DECL client& operator=(const client&);
    KCONTROL_DECL client& operator=(client&&) noexcept;
    KCONTROL_DECL ~client();

    /// A copy of the object, which may be edited. Errors, besides: not_found.
    template <resource T>
    awaitable<result<T>> get(namespaced_name key, get_options options = {});
    /// The same without a copy: of a cache, the object that it holds.
    template <resource T>
    awaitable<result<std::shared_ptr<const T>>> get_shared(namespaced_name key, get_options options = {});
    /// What does not decode is left out and logged; list_page() says what it is.
    template <resource T>
    awaitable<result<std::vector<std::shared_ptr<const T>>>> list(list_options options = {});
    /// The same with what belongs to it: the list's version, the token of the next page, what did not decode. One page
    /// if the options have a limit, else all. object_pager (client/object_pager.hpp) gets page after page.
    template <resource T>
    awaitable<result<object_page<T>>> list_page(list_options options = {});
    /// One watch, until the server ends it: for programs without an informer, which begins again by itself and knows
    /// what is there. retry_watcher (client/retry_watcher.hpp) goes on where a watch ends.
    template <resource T>
    awaitable<result<object_watch<T>>> watch(watch_options options = {});
    /// Gives what the server stored. metadata.generateName may stand for the name. Errors, besides: already_exists;
    /// invalid_argument for write_options::subresource(): what is created there is of another kind, see subresource().
    template <resource T>
    awaitable<result<T>> create(const T& object, write_options options = {});
    /// Replaces the object: what T does not declare is lost, so a projection does not compile here.
    /// A non-empty metadata.resource_version is a precondition.
    template <resource T>
    awaitable<result<T>> update(const T& object, write_options options = {});
    /// Sends what differs between the snapshot and its edited copy (see patch_between): Conflict if somebody wrote in
    /// between. Fields T does not know stay as they are. Sends nothing if nothing differs, and gives `edited` back.
    template <resource T>
    awaitable<result<T>> patch(const T& snapshot, const T& edited, write_options options = {});
    /// Server-side apply: the object shall have the fields that are set in `object`, and the options' field manager
    /// owns them. Creates the object if there is none. A field that this manager applied before and no longer does is
    /// removed, unless another manager owns it as well; all other fields stay as they are. A server that finds nothing
    /// to change writes nothing.
    ///
    /// What is sent: of the metadata name, namespace, labels, annotations, owner references and finalizers; of the rest
    /// what to_json writes, except what the server sets. Plain numbers and booleans are always written: a field that
    /// shall be left to others is a std::optional, or not declared at all; a projection may be applied.
    /// With subresource("status"), only the status is sent.
    ///
    /// Errors: conflict where another manager owns a field with another value, unless force() is set: its text names
    /// the fields and their managers, status()->causes has one entry (reason FieldManagerConflict) for each. conflict
    /// also if a precondition does not hold (Invalid if there is an object with another uid). invalid_argument for an
    /// unusable field manager. unknown_outcome if the answer was lost: apply is not repeated by itself, but since it is
    /// idempotent, calling it again with the same arguments is right (a precondition on the version may then fail
    /// because the first call went through).
    /// Source: https://kubernetes.io/docs/reference/using-api/server-side-apply/
    template <resource T>
    awaitable<result<T>> apply(const T& object, apply_options options);
    /// Returns when the server has accepted it; finalizers may hold the object for longer. Errors, besides: not_found,
    /// unless ignore_not_found() is set; conflict where a precondition does not hold.
    template <resource T>
    awaitable<result<void>> delete_(namespaced_name key, delete_options options = {});
    /// Deletes all objects that `which` selects, in one request. The items of what it returns are metadata_object:
    /// those that the server says it deleted, or began to delete; none where it does not say. Preconditions are no part
    /// of it. Errors: too_large says that the deletion happened, and its report was too long.
    template <resource T>
    awaitable<result<any_list>> delete_collection(list_options which, delete_options how = {});

    /// What is below an object and has a kind of its own: `c.subresource<deployment>("scale").get<scale>(key)`. Needs
    /// client/subresource.hpp.
    template <resource T>
    subresource_client subresource(std::string name) const;
    /// The same of a kind given at run time. `info` outlives what it returns.
    KCONTROL_DECL subresource_client subresource(const resource_info& info, std::string name) const;

    // The same on any kind, given at run time. `info` outlives the call, and the stream of a watch.
    /// The object is of the C++ type that `info` decodes to.
    KCONTROL_DECL awaitable<result<any_object>> get(const resource_info& info, namespaced_name key,
                                                    get_options options);
    /// One page if the options have a limit, else all.
    KCONTROL_DECL awaitable<result<any_list>> list_page(const resource_info& info, list_options options);
    /// Returns as soon as the server has agreed to the watch.
    KCONTROL_DECL awaitable<result<std::unique_ptr<watch_stream>>> watch(const resource_info& info,
                                                                         watch_options options);
    /// Errors, besides: already_exists; invalid_argument if the object is of another C++ type than `info` encodes.
    KCONTROL_DECL awaitable<result<any_object>> create(const resource_info& info, any_object object,
                                                       write_options options);
    /// Replaces the object. A projection is not refused here, and what it does not declare is lost.
    KCONTROL_DECL awaitable<result<any_object>> update(const resource_info& info, any_object object,
                                                       write_options options);
    /// `content_type` is json_patch_type, merge_patch_type or strategic_merge_patch_type.
    KCONTROL_DECL awaitable<result<any_object>> patch(const resource_info& info, namespaced_name key,
                                                      std::string content_type, std::string patch_text,
                                                      write_options options);
    /// Sends of the object what the typed apply() does.
    KCONTROL_DECL awaitable<result<any_object>> apply(const resource_info& info, any_object object,
                                                      apply_options options);
    /// The same with the fields as a JSON object, sent as they are; apiVersion, kind, metadata.name and .namespace are
    /// filled in. Errors, besides: decode_failed for a broken text, invalid_argument if it names another object or has
    /// metadata.managedFields.
    KCONTROL_DECL awaitable<result<any_object>> apply(const resource_info& info, namespaced_name key,
                                                      std::string object_json, apply_options options);
    /// Returns when the server has accepted it; finalizers may hold the object for longer.
    KCONTROL_DECL awaitable<result<void>> delete_(const resource_info& info, namespaced_name key,
                                                  delete_options options);
    /// The items of what it returns are metadata_object, as those of the typed one.
    KCONTROL_DECL awaitable<result<any_list>> delete_collection(const resource_info& info, list_options which,
                                                                delete_options how);

    /// The kinds of a group-version, or not_found if it is not served.
    KCONTROL_DECL awaitable<result<std::vector<served_resource>>> discover(std::string group, std::string version,
                                                                           get_options options = {});

    /// Which server answers: a consistent read, and one for all who ask at the same time. An answer to a question that
    /// was asked before `not_before` is not used. Errors: besides the usual, not_found or forbidden where the namespace
    /// kube-system may not be read, which is logged once.
    KCONTROL_DECL awaitable<result<server_identity>> identify(time_point not_before, std::stop_token stop);

    /// Any request with the cluster's credentials; an answer beyond 2xx comes as error with its status.
    KCONTROL_DECL awaitable<result<http::response>> raw(http::request req, http::exchange_options options);
    /// The same, whose body is read piece by piece and in its own time: the options bound it up to its head.
    KCONTROL_DECL awaitable<result<http::streamed_response>> raw_stream(http::request req,
                                                                        http::exchange_options options);
    /// A WebSocket at the request's target, see http::transport::open(); an answer other than 101 comes as
    /// error. A guarded client asks its guard first, as for a write.
    KCONTROL_DECL awaitable<result<http::opened_websocket>> raw_websocket(http::request req,
                                                                          http::exchange_options options);

    /// A client of the same connections whose writes ask `guard` first, each try of them; its load() is its own. What
    /// the guard refuses ends with its error, and is not sent. One that it lets pass has the time that it gives,
    /// however late its own deadline: unknown_outcome then, as the server may have it.
    KCONTROL_DECL client guarded(write_guard guard) const;

    /// A client of the same connections whose get() and list() are answered by `cache` where it can, and whose writes
    /// it is told of. Null: none.
    KCONTROL_DECL client reading_from(std::shared_ptr<client_cache> cache) const;
    /// The same client, whose reads ask the server always. Its writes are noted as before.
    KCONTROL_DECL client live() const;
    /// The cache behind it, whether it reads from there or not; null if there is none.
    const std::shared_ptr<client_cache>& cache() const noexcept { return cache_; }

    /// The same client, whose requests are told as spans "request", under that parent, each try of them: the method and
    /// the path, the host, and the code of the answer. What a cache answers is none. With to.propagated() each try says
    /// in a header "traceparent" which span it is.
    KCONTROL_DECL client traced(trace_parent to) const;

    // Wrappers: the same client, for whose calls something holds besides. raw(), discover() and identify() stay as they
    // are. What a call's own options say comes first, but for dry runs and namespaces.

    /// Every write is a dry run.
    KCONTROL_DECL client dry_running() const;
    /// What names no namespace is in this one, and a call that names another is refused with invalid_argument. Kinds
    /// without namespaces stay as they are.
    KCONTROL_DECL client namespaced(std::string ns) const;
    /// Writes that name no field manager name this one.
    KCONTROL_DECL client with_field_owner(std::string manager) const;
    /// Writes ask for that validation.
    KCONTROL_DECL client with_field_validation(field_validation level) const;

    /// The key of what a verb would be about: in the namespace of namespaced() if it names none. Errors:
    /// invalid_argument, as the verb would say it.
    KCONTROL_DECL result<namespaced_name> placed(const resource_info& info, namespaced_name key) const;
    /// The namespace that a list or a watch would be about, empty for all: that of namespaced() if it names none.
    /// Errors: invalid_argument for another one.
    KCONTROL_DECL result<std::string> placed_namespace(const resource_info& info, std::string ns) const;
    /// A client of the same connections that behaves as these options say; made from one that had others, it has none
    /// of them left but for the encoding, if these name none. Its copies share its limit.
    KCONTROL_DECL client with(const client_options& options) const;

    KCONTROL_DECL environment& env() const noexcept;       ///< what connect() was given; it outlives the client
    KCONTROL_DECL executor get_executor() const noexcept;  ///< where calls are awaited; what connect() was given
    /// The namespace for what names none: the configuration's (context, override or pod), or else "default". The verbs
    /// don't use it by themselves: an object without a namespace is an error, which a controller's slip should be.
    KCONTROL_DECL const std::string& default_namespace() const noexcept;
    /// How busy the server seems from here; client_load says what is counted.
    KCONTROL_DECL client_load load() const noexcept;
    /// What was sent so far, for metrics: write_request_metrics().
    KCONTROL_DECL const request_counts& requests() const noexcept;
    /// Ends idle connections; calls in flight end with their own deadline, later ones with unavailable.
    KCONTROL_DECL void close();

private:
    friend class subresource_client;

    KCONTROL_DECL client with_defaults(detail::client_defaults defaults) const;

    // For those who get no list of what did not decode: it is logged.
    KCONTROL_DECL awaitable<result<any_list>> list_and_log(const resource_info& info, list_options options);

    // A write as the caller gets it: its cache is notified, and the detector of hot loops.
    KCONTROL_DECL awaitable<result<any_object>> noted(const resource_info& info, namespaced_name key, bool dry_run,
                                                      awaitable<result<any_object>> write) const;

    explicit client(std::shared_ptr<detail::client_state> s) : state_(std::move(s)) {}
    std::shared_ptr<detail::client_state> state_;
    std::shared_ptr<client_cache> cache_;
    std::shared_ptr<const detail::client_defaults> defaults_;  // null: none
    bool reads_cache_ = false;
};

}  // namespace kcontrol

#include <kcontrol/client/impl/client.hpp>

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/client.ipp>
#include <kcontrol/client/impl/client_apply.ipp>
#include <kcontrol/client/impl/client_delete_collection.ipp>
#include <kcontrol/client/impl/client_discovery.ipp>
#include <kcontrol/client/impl/client_identity.ipp>
#include <kcontrol/client/impl/client_list.ipp>
#include <kcontrol/client/impl/client_with_defaults.ipp>
#endif

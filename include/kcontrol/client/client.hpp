// The client: verbs on typed objects of one cluster.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/auth/token_source.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/client/any_list.hpp>
#include <kcontrol/client/client_load.hpp>
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

namespace kcontrol {

class client_cache;  // client/client_cache.hpp

namespace detail {
class client_state;
}

/// A kind that the server serves, from discovery.
class served_resource {
public:
    served_resource() = default;
    group_version_kind gvk;
    std::string plural;
    bool namespaced = true;
};

/// Talks to one API server. Cheap to copy: copies share the connection pool and the credentials.
///
/// Every verb is a coroutine that returns a result: NotFound and Conflict are ordinary outcomes. A 401 refreshes a
/// token that can be refreshed and tries once more. Answers 429 and 5xx with Retry-After are retried up to 10 times
/// within the deadline, which is what client-go does. A write whose answer was lost ends with unknown_outcome and is
/// not repeated. Arguments are copied before the call returns; the client may be destroyed while a call is in flight.
///
/// The client of a manager or an engaged cluster reads from that cluster's caches: get() and list() of a kind that is
/// watched are answered from there, and live() is the same client, which asks the server always. docs/cache.md says
/// what is read where, and which errors there are besides.
///
/// Errors, besides the API server's own (api_errc): invalid_argument (an unusable name or namespace, before anything is
/// sent), not_an_api_server (a web page, a redirect, an empty answer), decode_failed, those of http::transport, and
/// callback_failed if a transport of the program's own threw.
///
/// Thread-safety: distinct objects safe if they were not copied from each other; shared objects unsafe: use it on the
/// executor it was made with.
class client {
public:
    /// Makes a client; nothing is sent yet. Errors: invalid_config (unusable TLS material).
    static KCONTROL_DECL result<client> connect(environment& env, executor ex, const auth::cluster_config& config,
                                                const http::transport_factory& make_transport, logger log = {});

    // Not inline, and so compiled once: nearly every file of a user copies, moves and destroys some.
    KCONTROL_DECL client(const client&);
    KCONTROL_DECL client(client&&) noexcept;
    KCONTROL_DECL client& operator=(const client&);
    KCONTROL_DECL client& operator=(client&&) noexcept;
    KCONTROL_DECL ~client();

    template <resource T>
    awaitable<result<T>> get(namespaced_name key, get_options options = {});
    /// The same without a copy: of a cache, the object that it holds.
    template <resource T>
    awaitable<result<std::shared_ptr<const T>>> get_shared(namespaced_name key, get_options options = {});
    /// What does not decode is left out and logged; list_page() says what it is.
    template <resource T>
    awaitable<result<std::vector<std::shared_ptr<const T>>>> list(list_options options = {});
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
    /// what to_json writes, except what the server sets. Plain numbers, booleans and structs are always written: a
    /// field that shall be left to others is a std::optional, or not declared at all; a projection may be applied.
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
    template <resource T>
    awaitable<result<void>> delete_(namespaced_name key, delete_options options = {});

    // The same on any kind, given at run time. `info` outlives the call, and the stream of a watch.
    KCONTROL_DECL awaitable<result<any_object>> get(const resource_info& info, namespaced_name key,
                                                    get_options options);
    /// One page if the options have a limit, else all.
    KCONTROL_DECL awaitable<result<any_list>> list_page(const resource_info& info, list_options options);
    KCONTROL_DECL awaitable<result<std::unique_ptr<watch_stream>>> watch(const resource_info& info,
                                                                         watch_options options);
    KCONTROL_DECL awaitable<result<any_object>> create(const resource_info& info, any_object object,
                                                       write_options options);
    KCONTROL_DECL awaitable<result<any_object>> update(const resource_info& info, any_object object,
                                                       write_options options);
    /// `content_type` is application/json-patch+json or application/merge-patch+json.
    KCONTROL_DECL awaitable<result<any_object>> patch(const resource_info& info, namespaced_name key,
                                                      std::string content_type, std::string patch_text,
                                                      write_options options);
    KCONTROL_DECL awaitable<result<any_object>> apply(const resource_info& info, any_object object,
                                                      apply_options options);
    /// The same with the fields as a JSON object, sent as they are; apiVersion, kind, metadata.name and .namespace are
    /// filled in. Errors, besides: decode_failed for a broken text, invalid_argument if it names another object or has
    /// metadata.managedFields.
    KCONTROL_DECL awaitable<result<any_object>> apply(const resource_info& info, namespaced_name key,
                                                      std::string object_json, apply_options options);
    KCONTROL_DECL awaitable<result<void>> delete_(const resource_info& info, namespaced_name key,
                                                  delete_options options);

    /// The kinds of a group-version, or not_found if it is not served.
    KCONTROL_DECL awaitable<result<std::vector<served_resource>>> discover(std::string group, std::string version,
                                                                           get_options options = {});

    /// Which server answers: a consistent read, and one for all who ask at the same time. An answer to a question that
    /// was asked before `not_before` is not used. Errors: besides the usual, not_found or forbidden where the namespace
    /// kube-system may not be read, which is logged once.
    KCONTROL_DECL awaitable<result<server_identity>> identify(time_point not_before, std::stop_token stop);

    /// Any request with the cluster's credentials; an answer beyond 2xx comes as error with its status.
    KCONTROL_DECL awaitable<result<http::response>> raw(http::request req, http::exchange_options options);

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
    /// the path, the host, and the code of the answer. What a cache answers is none.
    KCONTROL_DECL client traced(trace_parent to) const;

    KCONTROL_DECL environment& env() const noexcept;
    KCONTROL_DECL executor get_executor() const noexcept;
    /// How busy the server seems from here; client_load says what is counted.
    KCONTROL_DECL client_load load() const noexcept;
    /// What was sent so far, for metrics: write_request_metrics().
    KCONTROL_DECL const request_counts& requests() const noexcept;
    /// Ends idle connections; calls in flight end with their own deadline, later ones with unavailable.
    KCONTROL_DECL void close();

private:
    // For those who get no list of what did not decode: it is logged.
    KCONTROL_DECL awaitable<result<any_list>> list_and_log(const resource_info& info, list_options options);

    KCONTROL_DECL awaitable<result<any_object>> noted(const resource_info& info, namespaced_name key, bool dry_run,
                                                      awaitable<result<any_object>> write) const;

    explicit client(std::shared_ptr<detail::client_state> s) : state_(std::move(s)) {}
    std::shared_ptr<detail::client_state> state_;
    std::shared_ptr<client_cache> cache_;
    bool reads_cache_ = false;
};

}  // namespace kcontrol

#include <kcontrol/client/impl/client.hpp>

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/apply.ipp>
#include <kcontrol/client/impl/client.ipp>
#include <kcontrol/client/impl/discovery.ipp>
#include <kcontrol/client/impl/identity.ipp>
#include <kcontrol/client/impl/list.ipp>
#endif

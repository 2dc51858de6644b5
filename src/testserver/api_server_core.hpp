// The working part of the in-process API server, shared between it and the requests in progress.
#pragma once

#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/access_control.hpp>
#include <kcontrol/testing/api_server_options.hpp>
#include <kcontrol/testing/fault.hpp>
#include <kcontrol/testing/pod_streams.hpp>
#include <kcontrol/testing/request_log.hpp>

#include "testserver/account_tokens.hpp"
#include "testserver/admission_hooks.hpp"
#include "testserver/cluster_events.hpp"
#include "testserver/garbage_collector.hpp"
#include "testserver/list_page.hpp"
#include "testserver/object_store.hpp"
#include "testserver/pod_logs.hpp"
#include "testserver/rendering.hpp"
#include "testserver/role_rules.hpp"
#include "testserver/watch_cursor.hpp"
#include "testserver/watch_index.hpp"
#include "testserver/webhook_caller.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::testing::detail {

/// An open watch: how writers and the server's owner reach it.
class open_watch {
public:
    /// What a watch is told to do: go on, end properly, or break its connection.
    enum class order { run, end, abort };

    async_event wake;                       ///< notified of events and orders
    const resource_table* table = nullptr;  ///< what it watches; lives as long as the watch
    watch_cursor* cursor = nullptr;         ///< once it follows the table; null before
    order given = order::run;               ///< obeyed once all events are sent
};

/// What a watch works on.
class watch_job {
public:
    request_info info;                      ///< of the watch's request
    list_query query;                       ///< its checked options, from start_watch() on
    shape form = shape::object;             ///< what the Accept header asks for
    bool protobuf = false;                  ///< else JSON
    std::shared_ptr<resource_table> table;  ///< null before start_watch(); lives on here if the kind is removed
    fault injected;                         ///< faults of this request
};

/// An event as watches get it.
class rendered_event {
public:
    object_ptr object;  ///< what the text shows; null: the text is for one watch only
    std::string type,   ///< "ADDED", "MODIFIED" or "DELETED"
        version,        ///< of the API, that the text is in
        kind;           ///< of the object
    std::string text;   ///< a line of JSON with its newline
};

struct parallel_calls;

/// A request, as those see it who work on it.
class parsed_request {
public:
    /// `m`: the message, `i`: what it is about, `u`: who asks. All three outlive it.
    parsed_request(const http::server_request& m, const request_info& i, const requester& u)
        : message(m), info(i), user(u) {}

    const http::server_request& message;  ///< as it came, but for Protocol Buffers, which are JSON by now
    const request_info& info;             ///< the message's target, taken apart
    const requester& user;                ///< who asks, after impersonation
    shape form = shape::object;           ///< of the answer, by the Accept header
    std::string replica;                  ///< whose cache answers, if a fault says so; else empty
};

/// A write that goes through admission.
class write_order {
public:
    object_store::table_ptr table;                 ///< of the object's kind
    namespaced_name key;                           ///< of what there is; without a name: something new
    admission_attributes about;                    ///< what webhooks are told; write() fills in operation and name
    std::vector<std::string>* warnings = nullptr;  ///< not null at write(); webhooks add theirs
    /// Begins it with what there is now, in the version of the request, or null.
    std::function<outcome<pending_write>(const object_ptr& live)> begin;
    /// Of a subresource that is an object of its own (a scale): the object as that, and what that says put back.
    std::function<json::value(const json::value& whole)> show;
    /// Puts what webhooks made of that into the whole object.
    std::function<void(json::value& whole, const json::value& shown)> put_back;
};

/// What a write came to: the object in the version of the request.
class write_result {
public:
    object_ptr object;     ///< as it is now, or after a dry run would be
    bool created = false;  ///< it was not there before: the answer is 201
};

/// A condition of a pod holds from now on.
void set_pod_condition(json::value& pod, std::string_view type, std::string_view reason, std::string_view message,
                       const std::string& now);

/// Whether this server answers a subresource of a kind, besides the object's parts (status, finalize).
bool serves_below(const resource_type& type, const request_info& info);

/// What admission is told of a request.
admission_attributes attributes_of(const parsed_request& asked, const resource_type& type);
/// The DeleteOptions of a request, which come as its body or are made of its query.
json::value delete_options_of(const http::server_request& request);

/// Sets the value at a path (".spec.replicas"), and makes the objects on the way.
void put_at_path(json::value& whole, std::string_view path, const json::value& value);

/// Whether it is a review that this server answers.
bool answers_review(const request_info& info);

/// Everything but the executor. Touched on the server's executor only.
class api_server_core : public std::enable_shared_from_this<api_server_core> {
public:
    /// Makes Kubernetes' own kinds and the namespaces default and kube-system. `env` outlives it.
    api_server_core(environment& env, api_server_options options);

    /// Answers one request. Returns when the answer is sent, the watch over or the client gone.
    awaitable<void> handle(http::server_request request, http::responder& out);

    /// Kinds that CustomResourceDefinitions stand for follow them.
    void follow_crd(const json::value& crd);
    void warn_of_rules(const json::value& crd);
    void end_watches(open_watch::order order);  ///< all that are open; each when its turn comes
    /// Lets the watches of that table look anew; null: all watches.
    void wake_watches(const resource_table* of);

    /// Spawns work on the server's executor; without it no collector acts.
    std::function<void(awaitable<void>)> spawn;
    /// The server's executor, for connections to webhooks.
    executor calls_on;
    /// Ends what was spawned.
    std::stop_source closing;
    /// Shows the collector all there is, as when it starts.
    void restart_collector();

    environment& env;            ///< outlives the core
    api_server_options options;  ///< as they were given to the constructor
    object_store store;          ///< tells changes to this core
    access_control access;       ///< tokens, groups and rules; changes count from the next request on
    account_tokens tokens;       ///< of service accounts, by TokenRequest
    request_log log;             ///< of all requests, those that met a fault, too
    pod_logs container_logs;     ///< what pods/log shows
    async_event log_written;     ///< notified when a container says something or a pod changes
    exec_handler on_exec;        ///< none: commands are not served
    port_handler on_port;        ///< none: connections to ports are not served
    fault_hook faults;           ///< asked for each request; none: no faults
    /// Told of each change, in the middle of the write.
    using change_observer = std::function<void(const resource_table&, change, const stored_object&)>;
    std::vector<std::weak_ptr<change_observer>> observers;  ///< those that are gone are dropped at the next change
    std::map<std::string, std::uint64_t> frozen;            ///< replica -> version that its cache stands at
    bool ready = true;                                      ///< /readyz says ok, else it fails with 500
    std::map<std::string, std::string> openapi;             ///< path -> document, instead of the server's own

    // Writes of the programmatic face. Requests go through write(); only their deletions end in remove(), too. Results
    // are whole objects.
    /// Asks no webhook. The kind of a new CustomResourceDefinition is served from then on.
    outcome<object_ptr> create(resource_table& table, const write_target& target, json::value body, bool dry_run);
    /// Asks no webhook; the kind of a CustomResourceDefinition follows it.
    outcome<object_ptr> update(resource_table& table, const write_target& target, json::value body, bool dry_run);
    /// Server-side apply by `target.manager`, without webhooks. Conflicts are refused unless `force`.
    outcome<apply_result> apply(resource_table& table, const write_target& target, json::value config, bool force,
                                bool dry_run);
    /// Deletes or marks, without webhooks. With a CustomResourceDefinition its objects and then its kind go.
    outcome<delete_result> remove(resource_table& table, const namespaced_name& key, const delete_request& request);
    /// Writes an Event of the server's own controllers. What can't be written, as in a namespace that is being
    /// deleted, is lost.
    void record_event(const event_note& note, const std::string& manager);

private:
    outcome<requester> log_in(const http::server_request& request) const;
    /// Who asks, or whom he impersonates.
    outcome<requester> identify(const http::server_request& request) const;
    outcome<void> authorize(const requester& who, const request_info& info) const;
    awaitable<int> serve_log(const http::server_request& request, http::responder& out, watch_job& job);
    class planned_stream;
    outcome<planned_stream> plan_stream(const http::server_request& request, http::responder& out,
                                        const request_info& info, const requester& who) const;
    awaitable<int> serve_stream(const http::server_request& request, http::responder& out, watch_job& job,
                                const requester& who);
    awaitable<http::response> answer(const parsed_request& asked);
    http::response answer_path(const http::server_request& request, const request_info& info) const;
    awaitable<outcome<http::response>> answer_resource(const parsed_request& asked);
    awaitable<outcome<http::response>> answer_read(const parsed_request& asked, object_store::table_ptr table);
    awaitable<outcome<http::response>> answer_write(const parsed_request& asked, object_store::table_ptr table);
    outcome<write_order> order_write(const parsed_request& asked, object_store::table_ptr table,
                                     std::vector<std::string>& warnings);
    outcome<void> check_described(const resource_type& type, const json::value& body) const;
    awaitable<outcome<http::response>> remove_one(const parsed_request& asked, object_store::table_ptr table);
    awaitable<outcome<http::response>> remove_many(const parsed_request& asked, object_store::table_ptr table);
    awaitable<outcome<http::response>> answer_scale(const parsed_request& asked, object_store::table_ptr table);
    outcome<http::response> answer_binding(const http::server_request& request, const request_info& info);
    outcome<http::response> answer_eviction(const http::server_request& request, const request_info& info,
                                            resource_table& pods);
    outcome<http::response> answer_token(const http::server_request& request, const request_info& info);
    awaitable<outcome<http::response>> answer_below(const parsed_request& asked, object_store::table_ptr table);

    // Admission and conversion (api_server_core_admission.cpp, api_server_core_conversion.cpp).
    awaitable<outcome<write_result>> write(write_order order);
    awaitable<outcome<void>> admit_pending(const write_order& order, const admission_attributes& about,
                                           pending_write& pending);
    awaitable<outcome<void>> validate_pending(const write_order& order, const admission_attributes& about,
                                              const pending_write& pending);
    awaitable<outcome<delete_result>> remove_admitted(const parsed_request& asked, object_store::table_ptr table,
                                                      namespaced_name key, delete_request request,
                                                      std::vector<std::string>& warnings);
    using hook_list = std::shared_ptr<const std::vector<admission_hook>>;
    hook_list admission_hooks(bool mutating);
    /// Lets webhooks change the object; true if one did.
    awaitable<outcome<bool>> mutate(const admission_attributes& about, const resource_type& type, json::value& object,
                                    const json::value& old, std::vector<std::string>& warnings);
    /// Asks all validating webhooks at once.
    awaitable<outcome<void>> validate(const admission_attributes& about, const resource_type& type,
                                      const json::value& object, const json::value& old,
                                      std::vector<std::string>& warnings);
    class hook_call;
    awaitable<outcome<bool>> prepare_call(hook_call& call);
    awaitable<outcome<bool>> call_hook(hook_call& call);
    static awaitable<void> call_among_others(std::shared_ptr<api_server_core> self, hook_call& call,
                                             std::shared_ptr<parallel_calls> all);
    bool selects(const admission_hook& hook, const admission_attributes& about, const json::value& object,
                 const json::value& old) const;
    awaitable<outcome<json::array>> convert(const resource_type& type, json::array objects, std::string version);
    awaitable<outcome<json::value>> convert_one(const resource_type& type, json::value object, std::string version);
    /// The same, asked for only once.
    awaitable<outcome<std::vector<object_ptr>>> shown_from_cache(object_store::table_ptr table,
                                                                 std::vector<object_ptr> objects, std::string version);
    /// Objects in that version.
    awaitable<outcome<std::vector<object_ptr>>> shown_in(object_store::table_ptr table, std::vector<object_ptr> objects,
                                                         std::string version);
    awaitable<outcome<object_ptr>> shown_in(object_store::table_ptr table, object_ptr object, std::string version);
    outcome<http::response> answer_review(const http::server_request& request, const request_info& info,
                                          const resource_type& type) const;
    outcome<void> spend_budget(const std::string& ns, const json::value& pod, const stored_object& stored,
                               bool dry_run);
    outcome<object_store::table_ptr> find_table(const request_info& info) const;
    renderer renderer_for(const resource_table& table, const request_info& info, shape form) const;
    read_view view_of(const std::string& replica) const;
    void crd_written(const resource_table& table, const object_ptr& object);
    /// Whether the definition of a custom kind is being deleted.
    bool is_being_removed(const resource_type& type) const;
    void remove_instances(const std::string& name);
    /// Lets the definition go that is being deleted, once it has no objects; its kind is then not served any more.
    void finish_definition(const group_resource& id);

    awaitable<int> start_watch(http::responder& out, watch_job& job);
    awaitable<void> run_watch(http::responder& out, watch_job& job);

    void changed(const resource_table& table, const store_event* event);
    void tell_watches(const resource_table& table, const store_event& event);
    void show_collector(const resource_table& table, change what, const stored_object& object);
    void start_collecting();
    awaitable<void> collect();
    void carry_out(const collector_action& action);
    /// Writes an Event about each owner of an object that is in another namespace.
    void report_owners(const resource_table& table, const collector_action& action);

    class watch_registration;
    class watch_following;

    /// The line of an event, which all who watch in the same form get, and get one after the other.
    const std::string& event_text(const watch_job& job, std::string_view type, const object_ptr& object, bool first);

    // By their numbers, which ascend: they are told in that order.
    std::vector<std::pair<std::uint64_t, open_watch*>> watches_;
    std::uint64_t last_watch_ = 0;
    std::map<const resource_table*, watch_index> followed_;
    rendered_event last_event_;
    json::document reader_;  // of patches
    garbage_collector collector_;
    event_maker events_;
    bool collecting_ = false;
    webhook_caller webhooks_;
    std::set<std::string> warned_rules_;       // of definitions, with lenient_cel()
    hook_list hooks_[2];                       // validating, mutating
    std::vector<object_ptr> hooks_are_of_[2];  // the configurations that they were read from
    text_checks condition_texts_;
    using converted_versions = std::map<std::string, object_ptr>;
    std::map<std::weak_ptr<const stored_object>, converted_versions, std::owner_less<>> converted_;
    std::size_t converted_purge_at_ = 1000;
};

}  // namespace kcontrol::testing::detail

// The working part of the in-process API server, shared between it and the requests in progress.
#pragma once

#include <kcontrol/apiserver/access_control.hpp>
#include <kcontrol/apiserver/fault.hpp>
#include <kcontrol/apiserver/garbage_collector.hpp>
#include <kcontrol/apiserver/list_page.hpp>
#include <kcontrol/apiserver/object_store.hpp>
#include <kcontrol/apiserver/options.hpp>
#include <kcontrol/apiserver/pod_logs.hpp>
#include <kcontrol/apiserver/rendering.hpp>
#include <kcontrol/apiserver/request_log.hpp>
#include <kcontrol/apiserver/role_rules.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace kcontrol::testing::detail {

/// An open watch: how writers and the server's owner reach it.
class open_watch {
public:
    enum class order { run, end, abort };

    async_event wake;
    const resource_table* table = nullptr;
    order given = order::run;
};

/// What a watch works on.
class watch_job {
public:
    request_info info;
    list_query query;
    shape form = shape::object;
    std::shared_ptr<resource_table> table;
    fault injected;
};

/// A condition of a pod holds from now on.
KCONTROL_DECL void set_pod_condition(json::value& pod, std::string_view type, std::string_view reason,
                                     std::string_view message, const std::string& now);

/// Whether this server answers a subresource of a kind, besides the object's parts (status, finalize).
KCONTROL_DECL bool serves_below(const resource_type& type, const request_info& info);

/// Whether it is a review that this server answers.
KCONTROL_DECL bool answers_review(const request_info& info);

/// Everything but the executor. Touched on the server's executor only.
class api_server_core : public std::enable_shared_from_this<api_server_core> {
public:
    KCONTROL_DECL api_server_core(environment& env, api_server_options options);

    KCONTROL_DECL awaitable<void> handle(http::server_request request, http::responder& out);

    /// Kinds that CustomResourceDefinitions stand for follow them.
    KCONTROL_DECL void follow_crd(const json::value& crd);
    KCONTROL_DECL void end_watches(open_watch::order order);
    KCONTROL_DECL void wake_watches(const resource_table* of);

    /// Spawns work on the server's executor; without it no collector acts.
    std::function<void(awaitable<void>)> spawn;
    /// Ends what was spawned.
    std::stop_source closing;
    /// Shows the collector all there is, as when it starts.
    KCONTROL_DECL void restart_collector();

    environment& env;
    api_server_options options;
    object_store store;
    access_control access;
    request_log log;
    pod_logs container_logs;
    async_event log_written;
    fault_hook faults;
    /// Told of each change, in the middle of the write.
    using change_observer = std::function<void(const resource_table&, change, const stored_object&)>;
    std::vector<std::weak_ptr<change_observer>> observers;
    std::map<std::string, std::uint64_t> frozen;  // replica → version
    bool ready = true;
    std::map<std::string, std::string> openapi;  // path → document, instead of the server's own

    // Writes, used by requests and by the programmatic face alike. Results are whole objects.
    KCONTROL_DECL outcome<object_ptr> create(resource_table& table, const write_target& target, json::value body,
                                             bool dry_run);
    KCONTROL_DECL outcome<object_ptr> update(resource_table& table, const write_target& target, json::value body,
                                             bool dry_run);
    KCONTROL_DECL outcome<apply_result> apply(resource_table& table, const write_target& target, json::value config,
                                              bool force, bool dry_run);
    KCONTROL_DECL outcome<delete_result> remove(resource_table& table, const namespaced_name& key,
                                                const delete_request& request);

private:
    /// Who asks, or whom he impersonates.
    KCONTROL_DECL outcome<requester> identify(const http::server_request& request) const;
    KCONTROL_DECL outcome<void> authorize(const requester& who, const request_info& info) const;
    KCONTROL_DECL awaitable<int> serve_log(const http::server_request& request, http::responder& out, watch_job& job);
    KCONTROL_DECL http::response answer(const http::server_request& request, const request_info& info, shape form,
                                        const std::string& replica);
    KCONTROL_DECL http::response answer_path(const http::server_request& request, const request_info& info) const;
    KCONTROL_DECL outcome<http::response> answer_resource(const http::server_request& request, const request_info& info,
                                                          shape form, const std::string& replica);
    KCONTROL_DECL outcome<http::response> answer_read(const request_info& info, const resource_table& table, shape form,
                                                      const std::string& replica) const;
    KCONTROL_DECL outcome<http::response> answer_write(const http::server_request& request, const request_info& info,
                                                       resource_table& table, shape form);
    KCONTROL_DECL outcome<http::response> answer_apply(const http::server_request& request, const request_info& info,
                                                       const write_target& target, resource_table& table, bool dry_run,
                                                       shape form);
    KCONTROL_DECL outcome<object_ptr> patch(const http::server_request& request, const write_target& target,
                                            resource_table& table, bool dry_run);
    KCONTROL_DECL outcome<http::response> remove_one(const http::server_request& request, const request_info& info,
                                                     resource_table& table, shape form);
    KCONTROL_DECL outcome<http::response> remove_many(const http::server_request& request, const request_info& info,
                                                      resource_table& table, shape form);
    KCONTROL_DECL outcome<http::response> answer_scale(const http::server_request& request, const request_info& info,
                                                       resource_table& table);
    KCONTROL_DECL outcome<http::response> answer_binding(const http::server_request& request, const request_info& info);
    KCONTROL_DECL outcome<http::response> answer_eviction(const http::server_request& request, const request_info& info,
                                                          resource_table& pods);
    KCONTROL_DECL outcome<http::response> answer_token(const http::server_request& request, const request_info& info,
                                                       const resource_table& table);
    KCONTROL_DECL outcome<http::response> answer_below(const http::server_request& request, const request_info& info,
                                                       resource_table& table);
    KCONTROL_DECL outcome<http::response> answer_review(const http::server_request& request, const request_info& info,
                                                        const resource_type& type) const;
    KCONTROL_DECL outcome<void> spend_budget(const std::string& ns, const json::value& pod, const stored_object& stored,
                                             bool dry_run);
    KCONTROL_DECL outcome<object_store::table_ptr> find_table(const request_info& info) const;
    KCONTROL_DECL renderer renderer_for(const resource_table& table, const request_info& info, shape form) const;
    KCONTROL_DECL read_view view_of(const std::string& replica) const;
    KCONTROL_DECL void crd_written(const resource_table& table, const object_ptr& object);

    KCONTROL_DECL awaitable<int> start_watch(http::responder& out, watch_job& job);
    KCONTROL_DECL awaitable<void> run_watch(http::responder& out, watch_job& job);

    KCONTROL_DECL void changed(const resource_table& table, change what, const object_ptr& object);
    KCONTROL_DECL void show_collector(const resource_table& table, change what, const stored_object& object);
    KCONTROL_DECL void start_collecting();
    KCONTROL_DECL awaitable<void> collect();
    KCONTROL_DECL void carry_out(const collector_action& action);

    std::list<open_watch*> watches_;
    garbage_collector collector_;
    bool collecting_ = false;
};

}  // namespace kcontrol::testing::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/apiserver/impl/api_server_access.ipp>
#include <kcontrol/apiserver/impl/api_server_collector.ipp>
#include <kcontrol/apiserver/impl/api_server_core.ipp>
#include <kcontrol/apiserver/impl/api_server_crds.ipp>
#include <kcontrol/apiserver/impl/api_server_eviction.ipp>
#include <kcontrol/apiserver/impl/api_server_logs.ipp>
#include <kcontrol/apiserver/impl/api_server_reviews.ipp>
#include <kcontrol/apiserver/impl/api_server_subresources.ipp>
#include <kcontrol/apiserver/impl/api_server_watch.ipp>
#include <kcontrol/apiserver/impl/api_server_writes.ipp>
#endif

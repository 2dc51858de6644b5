// The working part of the in-process API server, shared between it and the requests in progress.
#pragma once

#include <kcontrol/runtime/executor.hpp>

#include "testserver/collector_shell.hpp"
#include "testserver/path_handler.hpp"
#include "testserver/pod_handler.hpp"
#include "testserver/read_handler.hpp"
#include "testserver/subresource_handler.hpp"
#include "testserver/watch_handler.hpp"
#include "testserver/write_handler.hpp"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing::detail {

/// Makes the parts of the server, gives each what it needs, and each request to the part that answers it. Touched on
/// the server's executor only.
class api_server_core : public std::enable_shared_from_this<api_server_core> {
public:
    /// Makes Kubernetes' own kinds and the namespaces default and kube-system. `env` outlives it.
    api_server_core(environment& env, executor ex, api_server_options options);

    /// Answers one request. Returns when the answer is sent, the watch over or the client disconnected.
    awaitable<void> handle(http::server_request request, http::responder& out);

    /// Ends watches, calls of webhooks and the collector. Requests in progress go on.
    void close();

    /// Told of each change, in the middle of the write.
    using change_observer = std::function<void(const resource_table&, change, const stored_object&)>;
    /// Calls it as long as somebody holds the result.
    std::shared_ptr<void> observe(change_observer observer);
    /// Asked for each request; null: no faults.
    void set_faults(fault_hook hook) { faults_ = std::move(hook); }
    /// Breaks all watches; the store is as it was then.
    void restore(const store_snapshot& then);

    object_store& store() noexcept { return store_; }
    direct_writes& writes() noexcept { return direct_; }
    access_control& access() noexcept { return access_.rules(); }
    replica_views& replicas() noexcept { return replicas_; }
    watch_handler& watches() noexcept { return watches_; }
    pod_handler& pods() noexcept { return pods_; }
    path_handler& paths() noexcept { return paths_; }
    request_log& log() noexcept { return log_; }  ///< of all requests, those that met a fault, too

private:
    awaitable<http::response> answer(const parsed_request& asked);
    awaitable<outcome<http::response>> answer_resource(const parsed_request& asked);
    outcome<object_store::table_ptr> find_table(const request_info& info) const;
    void changed(const resource_table& table, const store_event* event);
    void spawn(awaitable<void> work);

    environment& env_;
    executor executor_;
    api_server_options options_;
    std::stop_source closing_;
    task_spawner spawn_;
    object_store store_;
    request_log log_;
    fault_hook faults_;
    std::vector<std::weak_ptr<change_observer>> observers_;  // those that are gone are dropped at the next change
    // Each part is given those before it that it needs.
    request_access access_;
    replica_views replicas_;
    webhook_caller webhooks_;
    version_converter converter_;
    definition_controller definitions_;
    direct_writes direct_;
    admission_chain admission_;
    admitted_writes admitted_;
    read_handler reads_;
    write_handler writes_;
    subresource_handler subresources_;
    watch_handler watches_;
    pod_handler pods_;
    path_handler paths_;
    collector_shell collector_;
};

}  // namespace kcontrol::testing::detail

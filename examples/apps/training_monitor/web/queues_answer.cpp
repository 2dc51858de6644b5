#include "web/queues_answer.hpp"

#include <kcontrol/base/log.hpp>
#include <kcontrol/json/members.hpp>
#include <kcontrol/serve/responses.hpp>

#include "jobs/kind_names.hpp"
#include "pods/ask_queues.hpp"
#include "table/job_query.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace training_monitor {
namespace {

namespace http = kcontrol::http;
using queues_found = kcontrol::result<queue_knowledge>;

constexpr int most_queue_readings = 4;

const resource_use* use_of(const queue_status& status, std::string_view flavor, std::string_view resource) {
    for (const auto& f : status.reservation) {
        if (f.name != flavor) continue;
        for (const auto& r : f.resources) {
            if (r.name == resource) return &r;
        }
    }
    return nullptr;
}

void write_flavors(kcontrol::json::writer& out, const cluster_queue& queue) {
    const auto text = [](const kcontrol::quantity& q) { return q.text().empty() ? std::string("0") : q.text(); };
    begin_array(out, "flavors");
    for (const auto& group : queue.spec.resource_groups) {
        for (const auto& flavor : group.flavors) {
            for (const auto& quota : flavor.resources) {
                const auto* use = use_of(queue.status, flavor.name, quota.name);
                out.begin_object();
                out.member("name", flavor.name);
                out.member("resource", quota.name);
                out.member("nominal", text(quota.nominal));
                out.member("used", use ? text(use->total) : "0");
                out.member("borrowed", use ? text(use->borrowed) : "0");
                kcontrol::json::write_text_or_null(out, "borrowingLimit",
                                                   quota.borrowing_limit ? text(*quota.borrowing_limit) : "");
                out.end_object();
            }
        }
    }
    out.end_array();
}

void write_counts(kcontrol::json::writer& out, const queue_status& status) {
    out.member("pending", status.pending);
    out.member("reserving", status.reserving);
    out.member("admitted", status.admitted);
    const auto active = std::find_if(status.conditions.begin(), status.conditions.end(),
                                     [](const job_condition& c) { return c.type == "Active"; });
    const bool stopped = active != status.conditions.end() && active->status == "False";
    kcontrol::json::write_text_or_null(out, "inactive", stopped ? active->message : "");
}

void write_waiting(kcontrol::json::writer& out, monitor& of, const std::string& cluster,
                   const std::vector<waiting_workload>& all) {
    begin_array(out, "waiting");
    for (const auto& one : all) {
        out.begin_object();
        out.member("position", one.position.in_cluster_queue + 1);
        out.member("positionInLocalQueue", one.position.in_local_queue + 1);
        out.member("namespace", one.namespace_);
        out.member("localQueue", one.local_queue);
        out.member("workload", one.name);
        out.member("priority", one.priority);
        begin_object(out, "job");
        const auto kind = find_kind(one.job_kind);
        const bool in_view = !kind.empty() && of.table().find(cluster, one.namespace_, kind, one.job_name) != nullptr;
        if (!one.job_name.empty()) {
            out.member("kind", in_view ? std::string(kind) : one.job_kind);
            out.member("name", one.job_name);
            out.member("inView", in_view);
        }
        out.end_object();
        out.end_object();
    }
    out.end_array();
}

void write_queue(kcontrol::json::writer& out, monitor& of, const std::string& cluster, const queue_knowledge& known,
                 const cluster_queue& queue) {
    const std::string name(std::string_view(queue.metadata.name));
    out.begin_object();
    out.member("name", name);
    out.member("cohort", queue.spec.cohort);
    out.member("strategy", queue.spec.queueing_strategy);
    out.member("stopPolicy", queue.spec.stop_policy);
    write_counts(out, queue.status);
    write_flavors(out, queue);
    begin_array(out, "localQueues");
    if (known.local_queues) {
        for (const auto& local : *known.local_queues) {
            if (local->spec.cluster_queue != name) continue;
            out.begin_object();
            out.member("namespace", std::string_view(local->metadata.namespace_));
            out.member("name", std::string_view(local->metadata.name));
            write_counts(out, local->status);
            out.end_object();
        }
    }
    out.end_array();
    const auto waiting = known.waiting.find(name);
    if (waiting != known.waiting.end()) {
        write_waiting(out, of, cluster, waiting->second);
    } else if (queue.status.pending == 0) {
        write_waiting(out, of, cluster, {});
    }
    out.end_object();
}

http::response queues_answer(monitor& of, const std::string& cluster, const queues_found& found) {
    const bool forbidden = !found && found.error().code() == kcontrol::api_errc::forbidden;
    const bool missing = !found && found.error().code() == kcontrol::api_errc::not_found;
    kcontrol::json::writer out;
    out.begin_object();
    out.member("cluster", cluster);
    out.member("state", found ? "known" : forbidden ? "forbidden" : missing ? "not-installed" : "failed");
    out.member("reason", found || forbidden || missing ? "" : kcontrol::escape_control(found.error().message()));
    begin_array(out, "clusterQueues");
    if (found) {
        for (const auto& queue : found->cluster_queues) write_queue(out, of, cluster, *found, *queue);
    }
    out.end_array();
    begin_array(out, "missingRights");
    if (forbidden) out.value("grant list on clusterqueues.kueue.x-k8s.io to see queues");
    if (found && !found->local_queues && found->local_queues.error().code() == kcontrol::api_errc::forbidden) {
        out.value("grant list on localqueues.kueue.x-k8s.io to see the queues of namespaces");
    }
    if (found && found->waiting_forbidden) {
        out.value("grant get on clusterqueues/pendingworkloads of visibility.kueue.x-k8s.io to see who waits");
    }
    out.end_array();
    out.end_object();
    return http::json_response(200, out.take() + "\n");
}

kcontrol::awaitable<void> serve_queues(http::routed_request asked, http::responder& to, monitor& of,
                                       std::shared_ptr<int> running) {
    const std::string cluster(asked.parameter("cluster"));
    auto from = of.knowledge().client_of(cluster);
    const auto query = expect_no_query(asked.query());
    std::optional<http::response> refused;
    if (!query) {
        refused = http::error_response(400, query.error().message());
    } else if (!from) {
        refused = http::error_response(503, "the cluster is not there at present");
    } else if (*running >= most_queue_readings) {
        refused = http::error_response(429, "four clusters' queues are being read already: try again");
    }
    if (refused) {
        const auto sent = co_await to.send(std::move(*refused));
        static_cast<void>(sent);
        co_return;
    }
    const auto count = std::shared_ptr<void>(nullptr, [running](void*) { --*running; });
    ++*running;
    auto asking = ask_queues(std::move(*from), to.disconnected());
    const auto found =
        co_await boost::asio::co_spawn(of.clusters_executor(), std::move(asking), boost::asio::use_awaitable);
    auto whole = queues_answer(of, cluster, found);
    const auto sent = co_await to.send(std::move(whole));
    static_cast<void>(sent);
}

}  // namespace

void add_queues_route(http::router& to, monitor& of) {
    const auto running = std::make_shared<int>(0);
    to.stream("GET", "/api/v1/queues/{cluster}", [&of, running](http::routed_request asked, http::responder& out) {
        return serve_queues(std::move(asked), out, of, running);
    });
}

}  // namespace training_monitor

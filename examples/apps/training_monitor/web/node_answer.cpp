#include "web/node_answer.hpp"

#include <kcontrol/base/log.hpp>
#include <kcontrol/json/members.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/serve/responses.hpp>

#include "jobs/job_json.hpp"
#include "pods/ask_node.hpp"
#include "pods/node_cases.hpp"
#include "pods/node_fault.hpp"
#include "table/job_query.hpp"
#include "web/fleet_answer.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace training_monitor {
namespace {

namespace http = kcontrol::http;
using kcontrol::json::write_or_null;
using kcontrol::json::write_text_or_null;
using node_found = kcontrol::result<std::optional<training_node>>;

constexpr int most_nodes_at_once = 4;

void write_facts(kcontrol::json::writer& out, const training_node& node) {
    out.member("unschedulable", node.spec.unschedulable);
    out.member("gpusAllocatable", node.status.allocatable.gpu ? node.status.allocatable.gpu->count : 0);
    const auto fault = fault_of(node);
    write_text_or_null(out, "fault", fault ? short_fault(fault->message) : "");
    begin_array(out, "conditions");
    for (const auto& c : node.status.conditions) {
        out.begin_object();
        out.member("type", c.type);
        out.member("status", c.status);
        out.member("reason", c.reason);
        out.member("message", c.message);
        write_text_or_null(out, "since", c.last_transition_time);
        out.end_object();
    }
    out.end_array();
    begin_array(out, "taints");
    for (const auto& t : node.spec.taints) {
        out.begin_object();
        out.member("key", t.key);
        out.member("value", t.value);
        out.member("effect", t.effect);
        write_text_or_null(out, "since", t.time_added);
        out.end_object();
    }
    out.end_array();
}

void write_gpus(kcontrol::json::writer& out, monitor& of, const std::string& cluster, const std::string& node) {
    begin_array(out, "gpus");
    if (auto* usage = of.usage()) {
        const auto known = usage->look(cluster);
        const auto at = known.nodes ? known.nodes->find(node) : node_answers::const_iterator();
        const bool told = known.nodes && at != known.nodes->end() && at->second.report;
        if (told) {
            for (const auto& gpu : at->second.report->gpus) write_gpu(out, gpu);
        }
    }
    out.end_array();
}

void write_pod(kcontrol::json::writer& out, monitor& of, const job_ref& ref, const pod_row& pod) {
    out.begin_object();
    out.member("pod", pod.name);
    out.member("namespace", ref.namespace_);
    out.member("phase", pod.phase);
    out.member("terminating", pod.terminating);
    out.member("restarts", pod.restarts);
    out.member("gpus", pod.gpus);
    out.member("type", pod.type);
    write_or_null(out, "index", pod.index);
    begin_object(out, "job");
    if (const auto job = of.table().find(ref.cluster, ref.namespace_, ref.kind, ref.name)) {
        write_identity(out, *job);
        out.member("state", to_string(job->state));
        out.member("why", message_of(*job));
    }
    out.end_object();
    out.end_object();
}

http::response answer(monitor& of, const std::string& cluster, const std::string& name, const node_found& found,
                      const cases_by_node& cases, const std::vector<link_template>& links) {
    const auto pods = of.knowledge().pods().pods_on(cluster, name, [&](const job_ref& job) {
        return of.table().find(job.cluster, job.namespace_, job.kind, job.name) != nullptr;
    });
    if (found && !*found && pods.empty()) {
        return http::error_response(404, "the cluster has no node " + kcontrol::escape_control(name));
    }
    const bool forbidden = !found && found.error().code() == kcontrol::api_errc::forbidden;
    kcontrol::json::writer out;
    out.begin_object();
    out.member("cluster", cluster);
    out.member("node", name);
    out.member("state", found ? (*found ? "known" : "gone") : forbidden ? "forbidden" : "failed");
    out.member("reason", found || forbidden ? "" : kcontrol::escape_control(found.error().message()));
    if (found && *found) write_facts(out, **found);
    if (const auto open = cases.find(name); open != cases.end()) write_repair(out, cluster, name, open->second, links);
    write_gpus(out, of, cluster, name);
    begin_array(out, "pods");
    for (const auto& [job, pod] : pods) write_pod(out, of, job, *pod);
    out.end_array();
    begin_array(out, "missingRights");
    if (forbidden) out.value("grant list on nodes to see the conditions, taints and GPUs of nodes");
    out.end_array();
    out.end_object();
    return http::json_response(200, out.take() + "\n");
}

kcontrol::awaitable<void> find_cases(kcontrol::client from, std::shared_ptr<cases_by_node> into, std::stop_token stop) {
    auto asking = ask_cases(std::move(from), std::move(stop));
    auto found = co_await std::move(asking);
    *into = std::move(found);
}

// The node, and the cases meanwhile, on the executor of `from`.
kcontrol::awaitable<node_found> ask_both(kcontrol::client from, std::string name, std::shared_ptr<cases_by_node> cases,
                                         std::stop_token stop) {
    kcontrol::task_group meanwhile(from.env(), from.get_executor());
    meanwhile.spawn(find_cases(from, cases, stop));
    auto asking = ask_node(std::move(from), std::move(name), std::move(stop));
    auto found = co_await std::move(asking);
    co_await meanwhile.join();
    co_return found;
}

kcontrol::awaitable<void> serve_node(http::routed_request asked, http::responder& to, monitor& of,
                                     std::shared_ptr<int> running, std::vector<link_template> links) {
    const std::string cluster(asked.parameter("cluster")), name(asked.parameter("node"));
    auto from = of.knowledge().client_of(cluster);
    const auto query = expect_no_query(asked.query());
    std::optional<http::response> refused;
    if (!query) {
        refused = http::error_response(400, query.error().message());
    } else if (!from) {
        refused = http::error_response(503, "the cluster is not there at present");
    } else if (*running >= most_nodes_at_once) {
        refused = http::error_response(429, "four nodes are being asked for already: try again");
    }
    if (refused) {
        const auto sent = co_await to.send(std::move(*refused));
        static_cast<void>(sent);
        co_return;
    }
    const auto count = std::shared_ptr<void>(nullptr, [running](void*) { --*running; });
    ++*running;
    const auto cases = std::make_shared<cases_by_node>();
    auto asking = ask_both(std::move(*from), name, cases, to.disconnected());
    const auto found =
        co_await boost::asio::co_spawn(of.clusters_executor(), std::move(asking), boost::asio::use_awaitable);
    auto whole = answer(of, cluster, name, found, *cases, links);
    const auto sent = co_await to.send(std::move(whole));
    static_cast<void>(sent);
}

}  // namespace

void add_node_route(http::router& to, monitor& of, std::vector<link_template> links) {
    const auto running = std::make_shared<int>(0);
    to.stream("GET", "/api/v1/nodes/{cluster}/{node}",
              [&of, running, links = std::move(links)](http::routed_request asked, http::responder& out) {
                  return serve_node(std::move(asked), out, of, running, links);
              });
}

}  // namespace training_monitor

#include "pods/node_cases.hpp"

#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/json/members.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <chrono>
#include <utility>

namespace training_monitor {
namespace {

constexpr std::chrono::seconds case_deadline{5}, case_period{30};

bool waits_untainted(std::string_view phase) { return phase.empty() || phase == "Suspected" || phase == "Held"; }

kcontrol::awaitable<void> read_cases(kcontrol::client from, std::weak_ptr<node_cases> keeper, cases_by_node& into,
                                     std::stop_token stop) {
    auto asking = ask_cases(std::move(from), stop);
    auto found = co_await std::move(asking);
    const auto kept = keeper.lock();
    if (kept && !stop.stop_requested()) into = std::move(found);
}

}  // namespace

kcontrol::awaitable<cases_by_node> ask_cases(kcontrol::client from, std::stop_token stop) {
    cases_by_node out;
    kcontrol::list_options which;
    which.resource_version("0").deadline(case_deadline).stop(std::move(stop));
    auto asking = from.list_page<node_repair>(std::move(which));
    const auto listed = co_await std::move(asking);
    if (!listed) co_return out;
    for (const auto& each : listed->items) {
        const auto& s = each->status;
        if (s.phase == "Released" || s.phase == "Cancelled" || each->spec.node.empty()) continue;
        const auto known = out.find(each->spec.node);
        if (known != out.end() && !waits_untainted(known->second.phase)) continue;
        out[each->spec.node] = {std::string(std::string_view(each->metadata.name)), s.phase, s.reason, s.message,
                                s.phase_time};
    }
    co_return out;
}

void write_repair(kcontrol::json::writer& out, const std::string& cluster, const std::string& node, const node_case& of,
                  const std::vector<link_template>& links) {
    job_view as_job;
    as_job.cluster = cluster;
    as_job.kind = "NodeRepair";
    as_job.name = of.name;
    begin_object(out, "repair");
    out.member("node", node);
    out.member("case", of.name);
    out.member("phase", of.phase);
    out.member("reason", of.reason);
    out.member("message", of.message);
    kcontrol::json::write_text_or_null(out, "since", of.since);
    begin_array(out, "links");
    for (const auto& link : links_of(links, as_job)) {
        out.begin_object();
        out.member("name", link.name);
        out.member("url", link.url);
        out.end_object();
    }
    out.end_array();
    out.end_object();
}

const std::pair<const std::string, node_case>* node_cases::look(const std::string& cluster,
                                                                const std::set<std::string>& nodes) {
    if (nodes.empty()) return nullptr;
    entry& e = clusters_[cluster];
    const bool is_due = !e.asked || env_.now() - *e.asked >= case_period;
    if (auto from = is_due ? client_of_(cluster) : std::nullopt) {
        e.asked = env_.now();
        const auto ex = from->get_executor();
        boost::asio::co_spawn(ex, read_cases(std::move(*from), weak_from_this(), e.known, ending_.get_token()),
                              boost::asio::detached);
    }
    for (const auto& node : nodes) {
        const auto found = e.known.find(node);
        if (found != e.known.end()) return &*found;
    }
    return nullptr;
}

std::function<void(kcontrol::json::writer&, const job_view&)> repair_writer(kcontrol::environment& env, insight& known,
                                                                            std::vector<link_template> links) {
    const auto cases =
        std::make_shared<node_cases>(env, [&known](const std::string& cluster) { return known.client_of(cluster); });
    return [cases, &known, links = std::move(links)](kcontrol::json::writer& out, const job_view& job) {
        std::set<std::string> nodes;
        if (!job.failure->node.empty()) nodes.insert(job.failure->node);
        for (const auto& pod : known.evidence(ref_of(job)).pods) {
            if (!pod.node.empty()) nodes.insert(pod.node);
        }
        const auto* open = cases->look(job.cluster, nodes);
        if (open != nullptr) write_repair(out, job.cluster, open->first, open->second, links);
    };
}

}  // namespace training_monitor

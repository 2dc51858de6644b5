#include "web/fleet_answer.hpp"

#include <kcontrol/json/members.hpp>
#include <kcontrol/serve/responses.hpp>
#include <kcontrol/values/time.hpp>

#include "table/job_query.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace training_monitor {
namespace {

namespace http = kcontrol::http;
using kcontrol::json::write_or_null;
using kcontrol::json::write_text_or_null;
using state_type = fleet_knowledge::state_type;

std::string_view to_string(state_type state) {
    switch (state) {
    case state_type::loading: return "loading";
    case state_type::known: return "known";
    case state_type::forbidden: return "forbidden";
    case state_type::failed: return "failed";
    }
    return "";
}

// What needs attention comes first.
int urgency(std::string_view health) {
    if (health == "failed") return 0;
    return health == "degraded" ? 1 : 3;
}

int urgency(const node_answer& node) {
    if (!node.report || node.report->state != "ok") return 2;
    int out = 3;
    for (const auto& gpu : node.report->gpus) out = std::min(out, urgency(gpu.health));
    return out;
}

void write_node(kcontrol::json::writer& out, const std::string& name, const node_answer& node) {
    out.begin_object();
    out.member("node", name);
    out.member("state", node.report ? node.report->state : "no-response");
    out.member("reason", node.report ? node.report->message : node.failure);
    begin_array(out, "gpus");
    if (node.report) {
        for (const auto& gpu : node.report->gpus) write_gpu(out, gpu);
    }
    out.end_array();
    out.end_object();
}

void write_nodes(kcontrol::json::writer& out, const node_answers& nodes) {
    std::vector<std::pair<int, const node_answers::value_type*>> order;
    for (const auto& node : nodes) order.emplace_back(urgency(node.second), &node);
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [how, node] : order) write_node(out, node->first, node->second);
}

}  // namespace

void write_gpu(kcontrol::json::writer& out, const gpu_report& gpu) {
    out.begin_object();
    out.member("index", gpu.index);
    write_text_or_null(out, "product", gpu.name);
    out.member("health", gpu.health);
    out.member("reason", gpu.reason);
    write_or_null(out, "utilization", gpu.utilization);
    write_or_null(out, "memoryUsedBytes", gpu.memory_used_bytes);
    write_or_null(out, "memoryTotalBytes", gpu.memory_total_bytes);
    write_or_null(out, "temperatureC", gpu.temperature_celsius);
    write_or_null(out, "powerW", gpu.power_watts);
    write_or_null(out, "xid", gpu.xid);
    write_text_or_null(out, "xidTime", gpu.xid_time);
    out.end_object();
}

http::response fleet_answer(monitor& of, std::string_view query) {
    const bool looks = query != "look=false";
    if (const auto checked = expect_no_query(looks ? query : "", "look=false"); !checked) {
        return http::error_response(400, checked.error().message());
    }
    if (!of.usage()) return http::error_response(404, "no GPU labelers are asked: see --gpu-usage");
    kcontrol::json::writer out;
    out.begin_object();
    begin_array(out, "items");
    for (const auto& cluster : of.table().clusters()) {
        const usage_board& board = *of.usage();
        const fleet_knowledge known = looks ? of.usage()->look(cluster->name) : board.known(cluster->name);
        out.begin_object();
        out.member("cluster", cluster->name);
        out.member("state", to_string(known.state));
        out.member("reason", known.reason);
        write_text_or_null(out, "at", known.at ? kcontrol::format_time(*known.at) : "");
        begin_array(out, "nodes");
        if (known.nodes) write_nodes(out, *known.nodes);
        out.end_array();
        begin_array(out, "missingRights");
        if (known.state == state_type::forbidden) {
            const auto& where = board.how().labeler_namespace();
            out.value("grant list on pods and get on pods/proxy in namespace " + where +
                      " to see the GPUs of the nodes");
        }
        out.end_array();
        out.end_object();
    }
    out.end_array();
    out.end_object();
    return http::json_response(200, out.take() + "\n");
}

}  // namespace training_monitor

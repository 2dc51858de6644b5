#include "web/gpus_answer.hpp"

#include <kcontrol/json/members.hpp>
#include <kcontrol/serve/responses.hpp>
#include <kcontrol/values/time.hpp>

#include "table/job_query.hpp"

namespace training_monitor {
namespace {

namespace http = kcontrol::http;
using kcontrol::json::write_text_or_null;

std::string_view to_string(node_knowledge::state_type state) {
    switch (state) {
    case node_knowledge::state_type::loading: return "loading";
    case node_knowledge::state_type::known: return "known";
    case node_knowledge::state_type::forbidden: return "forbidden";
    case node_knowledge::state_type::failed: return "failed";
    }
    return "";
}

void write_pool(kcontrol::json::writer& out, const gpu_pool& pool) {
    out.begin_object();
    write_text_or_null(out, "product", pool.product);
    out.member("nodes", pool.nodes);
    out.member("usableNodes", pool.usable_nodes);
    out.member("allocatable", pool.allocatable);
    out.member("asked", pool.asked);
    out.member("free", pool.free);
    begin_array(out, "fits");
    for (const auto& fit : pool.fits) {
        out.begin_object();
        out.member("gpusPerPod", fit.gpus_per_pod);
        out.member("pods", fit.pods);
        out.end_object();
    }
    out.end_array();
    out.end_object();
}

void write_cluster(kcontrol::json::writer& out, const std::string& name, const node_knowledge& known,
                   const gpu_sum& sum, bool pods_missing) {
    using state_type = node_knowledge::state_type;
    out.begin_object();
    out.member("cluster", name);
    out.member("state", to_string(known.state));
    out.member("reason", known.reason);
    write_text_or_null(out, "listed", known.at ? kcontrol::format_time(*known.at) : "");
    out.member("waiting", sum.waiting);
    begin_array(out, "products");
    for (const auto& pool : sum.pools) write_pool(out, pool);
    out.end_array();
    begin_array(out, "missingRights");
    if (known.state == state_type::forbidden) {
        out.value("grant list on nodes to see the GPUs by product, and which jobs would fit");
    }
    if (pods_missing) out.value("grant list and watch on pods to see the GPUs that are requested");
    out.end_array();
    out.end_object();
}

}  // namespace

http::response gpus_answer(monitor& of, std::string_view query) {
    if (const auto checked = expect_no_query(query); !checked) {
        return http::error_response(400, checked.error().message());
    }
    kcontrol::json::writer out;
    out.begin_object();
    begin_array(out, "items");
    for (const auto& cluster : of.table().clusters()) {
        const node_knowledge known = of.gpus().look(cluster->name);
        std::vector<gpu_use> uses;
        for (const auto* pod : of.knowledge().pods().pods_of(cluster->name)) {
            const bool holds = pod->phase != "Succeeded" && pod->phase != "Failed";
            if (holds && pod->gpus > 0) uses.push_back({pod->node, pod->gpus});
        }
        const bool pods_missing = of.knowledge().rights(cluster->name).pods == right_state::missing;
        write_cluster(out, cluster->name, known, sum_up(known.nodes, uses), pods_missing);
    }
    out.end_array();
    out.end_object();
    return http::json_response(200, out.take() + "\n");
}

}  // namespace training_monitor

#include "web/answers.hpp"

#include <kcontrol/json/writer.hpp>
#include <kcontrol/serve/responses.hpp>

#include "decide/phases.hpp"

namespace gpu_healer {

std::string repairs_json(const repair_list& repairs) {
    json::writer out;
    out.begin_object();
    out.key("items");
    out.begin_array();
    for (const auto& each : repairs) {
        const auto& s = each->status;
        out.begin_object();
        out.member("name", each->metadata.name.view());
        out.member("node", each->spec.node.view());
        out.member("policy", each->spec.policy.view());
        out.member("phase", s.phase.view());
        out.member("reason", s.reason.view());
        out.member("step", s.step.view());
        out.member("attempt", s.attempt);
        out.key("timeline");
        out.begin_array();
        for (const auto& entry : s.timeline) {
            out.begin_object();
            out.member("time", entry.time.str());
            out.member("what", entry.what.view());
            out.end_object();
        }
        out.end_array();
        out.end_object();
    }
    out.end_array();
    out.end_object();
    return out.take();
}

std::string nodes_json(const repair_list& repairs) {
    json::writer out;
    out.begin_object();
    out.key("items");
    out.begin_array();
    for (const auto& each : repairs) {
        const auto& s = each->status;
        const bool left = is_true(s.conditions, "Quarantined");
        if (has_ended(s.phase) && !left) continue;
        out.begin_object();
        out.member("name", each->spec.node.view());
        out.member("phase", s.phase.view());
        out.member("taint", s.taint && left
                                ? s.taint->key.str() + "=" + s.taint->value.str() + ":" + s.taint->effect.str()
                                : std::string());
        out.member("repair", each->metadata.name.view());
        out.end_object();
    }
    out.end_array();
    out.end_object();
    return out.take();
}

void add_routes(http::router& to, manager& m) {
    const auto repairs = m.get_informer<node_repair>();
    to.get("/api/v1/repairs", [repairs](const http::routed_request&) {
        return http::json_response(200, repairs_json(repairs->list()) + "\n");
    });
    to.get("/api/v1/nodes", [repairs](const http::routed_request&) {
        return http::json_response(200, nodes_json(repairs->list()) + "\n");
    });
}

}  // namespace gpu_healer

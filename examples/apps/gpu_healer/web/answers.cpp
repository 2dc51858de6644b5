#include "web/answers.hpp"

#include <kcontrol/json/members.hpp>
#include <kcontrol/serve/responses.hpp>

#include "decide/phases.hpp"

namespace gpu_healer {

void write_case(json::writer& out, const node_repair& of) {
    const auto& s = of.status;
    out.member("name", of.metadata.name.view());
    out.member("node", of.spec.node.view());
    out.member("policy", of.spec.policy.view());
    out.member("phase", s.phase.view());
    out.member("reason", s.reason.view());
    out.member("step", s.step.view());
    out.member("attempt", s.attempt);
    json::begin_array(out, "timeline");
    for (const auto& entry : s.timeline) {
        out.begin_object();
        out.member("time", entry.time.str());
        out.member("what", entry.what.view());
        out.end_object();
    }
    out.end_array();
}

std::string taint_words(const node_repair& of) {
    const auto& taint = of.status.taint;
    if (!taint || !is_true(of.status.conditions, "Quarantined")) return {};
    return taint->key.str() + "=" + taint->value.str() + ":" + taint->effect.str();
}

std::string repairs_json(const repair_list& repairs) {
    json::writer out;
    out.begin_object();
    out.key("items");
    out.begin_array();
    for (const auto& each : repairs) {
        out.begin_object();
        write_case(out, *each);
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
        if (has_ended(s.phase) && !is_true(s.conditions, "Quarantined")) continue;
        out.begin_object();
        out.member("name", each->spec.node.view());
        out.member("phase", s.phase.view());
        out.member("taint", taint_words(*each));
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

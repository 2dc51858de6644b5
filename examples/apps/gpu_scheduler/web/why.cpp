// Why a pod waits, and what would help.
#include <kcontrol/json/members.hpp>
#include <kcontrol/serve/responses.hpp>

#include "web/answers.hpp"

#include <algorithm>

namespace gpu_scheduler {

namespace http = kcontrol::http;
namespace json = kcontrol::json;
using json::writer;

namespace {

// Where the most whole GPUs are free on one node; of nodes that know their NVLinks, in one domain of these.
struct free_set {
    std::size_t free = 0, largest = 0;
    bool has_nvlinks = false;
};

free_set largest_free_set(const board& known) {
    free_set out;
    const auto& costs = known.with().costs;
    const auto bridge = std::min(costs.over(costs.pcie), costs.over(costs.numa));
    for (const auto& on : known.nodes()) {
        if (on == nullptr || on->node->spec.unschedulable.value_or(false) || !is_ready(*on->node)) continue;
        const auto& devices = on->ledger.devices();
        if (devices.source == device_source::claims) continue;
        std::vector<std::size_t> free;
        for (std::size_t i = 0; i < devices.gpus.size(); ++i) {
            if (on->ledger.is_free(i)) free.push_back(i);
        }
        const auto unknown = static_cast<std::size_t>(std::max(0, on->ledger.unknown()));
        const auto all = free.size() - std::min(free.size(), unknown);
        auto linked = all;
        if (devices.links && devices.links->least() < bridge) {
            out.has_nvlinks = true;
            linked = std::min(all, largest_group(*devices.links, std::move(free), bridge));
        }
        out.free = std::max(out.free, all);
        out.largest = std::max(out.largest, linked);
    }
    return out;
}

std::size_t whole_gpus(const gpu_request& of) {
    std::size_t out = 0;
    for (const auto& each : of.containers) out += each.is_share ? 0 : static_cast<std::size_t>(each.gpus);
    return out;
}

}  // namespace

// What would help, each tried on the nodes as they are.
std::vector<std::string> answers::would(const cluster_view::pod_object& pod) const {
    std::vector<std::string> out;
    const auto claim = read_claim(*pod);
    const auto amount = board_->amount_of(*pod);
    if (!claim.wrong.empty() || amount == 0) return out;
    const auto limits = board_->limits_of(board_->tenant_of(pod->metadata.namespace_));
    for (const auto& each : limits) {
        if (board_->has_tenants() && each.product.empty() && amount > each.left) out.push_back(each.sentence);
    }
    // Gang members that wait for others say so themselves.
    const auto said = condition_of(*pod);
    if (said.find(" members exist") != std::string::npos) out.push_back(said);
    if (!out.empty()) return out;
    kcontrol::scheduling::preemption_policy anybody;
    anybody.may_evict([](const auto&, const auto&) { return true; });
    const auto plan = view_->what_must_go(kcontrol::key_of(pod->metadata), anybody);
    refresh();
    if (plan && plan->found() && !plan->victims.empty()) {
        std::string held_by;
        std::int64_t freed = 0;
        for (const auto& victim : plan->victims) {
            held_by.append(held_by.empty() ? "" : ", ").append(name_of(victim->pod())).append(", priority ");
            held_by.append(std::to_string(victim->priority()));
            freed += board_->held_by(victim->uid());
        }
        const auto gpus = (freed + whole_gpu - 1) / whole_gpu;
        out.push_back("fits when " + std::to_string(gpus) + " more GPU" + (gpus == 1 ? " is" : "s are") + " free on " +
                      plan->places.front().node + " (held by " + held_by + ")");
    }
    const auto wanted = whole_gpus(claim.request);
    const auto found = largest_free_set(*board_);
    if (wanted > 1 && found.free < wanted) {
        out.push_back("no node has " + std::to_string(wanted) +
                      (found.has_nvlinks ? " GPUs of one NVLink domain" : " free GPUs") + "; the largest free set is " +
                      std::to_string(found.largest));
    }
    return out;
}

kcontrol::result<std::string> answers::why(std::string_view pod_name) const {
    const auto slash = pod_name.find('/');
    if (slash == std::string::npos || slash == 0 || slash + 1 == pod_name.size()) {
        return bad_value(in_quotes(pod_name) + " is not NAMESPACE/NAME");
    }
    const kcontrol::namespaced_name name(std::string(pod_name.substr(0, slash)),
                                         std::string(pod_name.substr(slash + 1)));
    const auto pod = view_->find(name);
    if (pod == nullptr) {
        return kcontrol::error(kcontrol::api_errc::not_found, "there is no pod " + in_quotes(pod_name));
    }
    if (!refresh()) return kcontrol::error(kcontrol::errc::unavailable, "this replica does not schedule now");
    const bool is_gated = !pod->spec.scheduling_gates.empty();
    const bool is_tried = waits(*pod) && !is_gated;
    std::string sentence = condition_of(*pod);
    if (!waits(*pod)) sentence = "it is on node " + pod->spec.node_name.str();
    std::vector<kcontrol::scheduling::node_explanation> nodes;
    if (is_tried) {
        auto explained = view_->explain(name);
        if (!explained) return explained.error();
        if (sentence.empty()) sentence = explained->decided.message();
        nodes = std::move(explained->nodes);
        refresh();
    }
    writer out;
    out.begin_object();
    out.member("state", !waits(*pod) ? "placed" : is_gated ? "gated" : "waiting");
    out.member("sentence", sentence);
    json::begin_array(out, "nodes");
    for (const auto& each : nodes) {
        if (each.plugin.empty()) continue;
        out.begin_object();
        out.member("name", each.node);
        out.member("plugin", each.plugin);
        std::string reasons;
        for (std::size_t i = 0; i < each.refused.reason_count(); ++i) {
            reasons.append(i == 0 ? "" : ", ").append(each.refused.reason(i).view());
        }
        out.member("reason", reasons);
        out.end_object();
    }
    out.end_array();
    json::write_values(out, "would", is_tried ? would(pod) : std::vector<std::string>());
    out.end_object();
    return out.take();
}

http::response answers::why(const http::routed_request& asked) const {
    const auto query = parameters_of(asked, {"pod"});
    if (!query) return http::error_response(400, query.error().message());
    const auto said = why(query->contains("pod") ? std::string_view(query->at("pod")) : std::string_view());
    if (said) return http::json_response(200, *said);
    if (said.error() == kcontrol::errc::unavailable) return no_leader();
    const bool is_absent = said.error() == kcontrol::api_errc::not_found;
    return http::error_response(is_absent ? 404 : 400, "parameter pod: " + said.error().message());
}

http::response answers::fits(const http::routed_request& asked) const {
    const auto query = parameters_of(asked, {"product", "pods", "gpus"});
    if (!query) return http::error_response(400, query.error().message());
    std::int64_t numbers[2] = {1, 1};
    for (const auto& [name, to] : {std::pair("pods", &numbers[0]), std::pair("gpus", &numbers[1])}) {
        if (!query->contains(name)) continue;
        const auto read = whole_number(query->at(name));
        if (!read || *read < 1 || *read > 100'000) {
            return http::error_response(400, std::string("parameter ") + name + ": " + in_quotes(query->at(name)) +
                                                 " is no number from 1 to 100000");
        }
        *to = *read;
    }
    if (!refresh()) return no_leader();
    std::int64_t largest = 0;
    for (const auto& on : board_->nodes()) {
        if (on == nullptr || on->node->spec.unschedulable.value_or(false) || !is_ready(*on->node)) continue;
        if (query->contains("product") && on->product() != query->at("product")) continue;
        gpu_request one;
        one.containers.emplace_back().gpus = static_cast<int>(numbers[1]);
        largest += most_pods(one, on->ledger);
    }
    writer out;
    out.begin_object();
    out.member("now", largest >= numbers[0]);
    out.member("largestGang", largest);
    out.end_object();
    return http::json_response(200, out.take());
}

}  // namespace gpu_scheduler

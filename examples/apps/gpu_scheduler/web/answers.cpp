#include "web/answers.hpp"

#include <kcontrol/codec/codec.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/json/members.hpp>
#include <kcontrol/serve/responses.hpp>
#include <kcontrol/values/time.hpp>

#include "control/tenant_status.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <tuple>

namespace gpu_scheduler {

namespace http = kcontrol::http;
namespace core = kcontrol::api::core::v1;
namespace json = kcontrol::json;
using json::writer;

std::string condition_of(const core::pod& pod) {
    for (const auto& each : pod.status.conditions) {
        if (each.type == "PodScheduled" && each.status == "False") return each.message.str();
    }
    return {};
}

bool waits(const core::pod& pod) {
    return pod.spec.node_name.empty() && pod.status.phase == "Pending" && !pod.metadata.deletion_timestamp;
}

bool is_ready(const core::node& node) {
    const auto found = std::ranges::find(node.status.conditions, "Ready", [](const auto& c) { return c.type.view(); });
    return found == node.status.conditions.end() || found->status == "True";
}

std::string name_of(const core::pod& pod) { return pod.metadata.namespace_.str() + "/" + pod.metadata.name.str(); }

http::response no_leader() {
    return http::try_again_response(5, "this replica does not schedule now: it does not lead");
}

result<std::map<std::string, std::string>> parameters_of(const http::routed_request& asked,
                                                         std::initializer_list<std::string_view> known) {
    std::map<std::string, std::string> out;
    for (auto& [name, value] : http::parse_query(asked.query())) {
        if (std::ranges::count(known, std::string_view(name)) == 0) {
            return bad_value("parameter " + in_quotes(name) + " is not known here");
        }
        out.insert_or_assign(std::move(name), std::move(value));
    }
    return out;
}

namespace {

// Its memory, of which a slice has so much.
std::int64_t held_memory(const node_state& on, std::size_t i, const device_hold& held) {
    const auto& profiles = on.ledger.profiles(i);
    const auto whole = on.ledger.devices().gpus[i].memory_mib;
    if (held.is_share()) return held.memory_mib;
    const auto* profile = find_profile(profiles, held.profile);
    return profile == nullptr ? whole : whole * profile->slots / profiles.front().slots;
}

void write_gpu(writer& to, const node_state& on, std::size_t i) {
    const auto& gpu = on.ledger.devices().gpus[i];
    const auto& use = on.ledger.use(i);
    const auto& profiles = on.ledger.profiles(i);
    std::int64_t free = use.wholes > 0 ? 0 : std::max<std::int64_t>(0, gpu.memory_mib - use.memory_mib);
    if (!profiles.empty()) {
        const auto slots = profiles.front().slots;
        free = gpu.memory_mib * (slots - static_cast<unsigned>(std::popcount(use.slots))) / slots;
    }
    to.begin_object();
    to.member("index", gpu.index);
    to.member("uuid", gpu.uuid);
    to.member("memoryMiB", gpu.memory_mib);
    to.member("freeMiB", free);
    to.member("cores", gpu.cores);
    to.member("freeCores", use.wholes > 0 ? 0 : std::max(0, gpu.cores - use.cores));
    to.member("healthy", gpu.is_healthy);
    std::vector<std::pair<const gpu_holding*, const device_hold*>> held;
    for (const auto& pod : on.holdings) {
        for (const auto& each : pod.devices) {
            if (each.uuid == gpu.uuid) held.emplace_back(&pod, &each);
        }
    }
    json::begin_array(to, "slices");
    for (const auto& [pod, each] : held) {
        if (!each->is_slice()) continue;
        to.begin_object();
        to.member("profile", each->profile);
        to.member("start", each->start);
        to.member("pod", pod->pod);
        to.end_object();
    }
    to.end_array();
    json::begin_array(to, "pods");
    const gpu_holding* last = nullptr;
    for (const auto& [pod, each] : held) {
        if (std::exchange(last, pod) != pod) to.value(pod->pod);
    }
    to.end_array();
    json::begin_array(to, "holds");
    for (const auto& [pod, each] : held) {
        to.begin_object();
        to.member("pod", pod->pod);
        to.member("tenant", pod->tenant);
        to.member("memoryMiB", held_memory(on, i, *each));
        to.end_object();
    }
    to.end_array();
    to.end_object();
}

std::string rack_of(const core::node& node, const settings& with) {
    if (const auto* rack = node.metadata.labels.get("topology.kubernetes.io/rack")) return rack->str();
    for (const auto& key : with.topology_keys) {
        if (const auto* value = node.metadata.labels.get(key)) return value->str();
    }
    return {};
}

// Answers without parameters.
http::response whole_answer(const http::routed_request& asked, bool leads, const std::function<std::string()>& body) {
    if (const auto query = parameters_of(asked, {}); !query) return http::error_response(400, query.error().message());
    return leads ? http::json_response(200, body()) : no_leader();
}

}  // namespace

std::string node_json(const node_state& on, const board& of) {
    writer out;
    out.begin_object();
    out.member("name", on.node->metadata.name.view());
    out.member("product", on.product());
    const bool is_cordoned = on.node->spec.unschedulable.value_or(false);
    out.member("state", !is_ready(*on.node) ? "not-ready" : is_cordoned ? "cordoned" : "ready");
    out.member("forecast", of.is_forecast(on));
    json::write_text_or_null(out, "rack", rack_of(*on.node, of.with()));
    json::begin_array(out, "gpus");
    for (std::size_t i = 0; i < on.ledger.devices().gpus.size(); ++i) write_gpu(out, on, i);
    out.end_array();
    out.end_object();
    return out.take();
}

bool answers::refresh() const {
    return view_->look_at([this](const kcontrol::scheduling::snapshot& nodes) { board_->refresh(nodes); });
}

http::response answers::nodes(const http::routed_request& asked) const {
    return whole_answer(asked, refresh(), [this] {
        writer out;
        out.begin_object();
        json::begin_array(out, "items");
        for (const auto& on : board_->nodes()) {
            if (on != nullptr && !on->ledger.devices().gpus.empty()) out.raw(node_json(*on, *board_));
        }
        out.end_array();
        out.end_object();
        return out.take();
    });
}

std::string answers::tenants() const {
    writer out;
    out.begin_object();
    json::begin_array(out, "items");
    for (const auto& each : board_->tenants()) {
        out.begin_object();
        out.member("name", each.metadata.name.view());
        json::begin_array(out, "quotas");
        for (const auto& quota : each.spec.quotas) {
            out.begin_object();
            out.member("product", quota.product.view());
            out.member("gpus", quota.gpus);
            json::write_or_null(out, "limit", quota.limit);
            out.end_object();
        }
        out.end_array();
        out.key("status");
        out.raw(kcontrol::to_json(status_of(*board_, each, view_->now())));
        out.end_object();
    }
    out.end_array();
    out.end_object();
    return out.take();
}

http::response answers::tenants(const http::routed_request& asked) const {
    return whole_answer(asked, refresh(), [this] { return tenants(); });
}

std::vector<cluster_view::pod_object> queue_of(cluster_view& of, board& known) {
    std::vector<std::pair<std::tuple<int, std::int32_t, kcontrol::timestamp, std::string>, cluster_view::pod_object>>
        all;
    for (auto& pod : of.pods()) {
        if (!waits(*pod) || !of.schedules(*pod) || !pod->spec.scheduling_gates.empty()) continue;
        const bool has_claims = !pod->spec.resource_claims.empty() || known.is_waiting(pod->metadata.uid);
        if (!read_claim(*pod).has_gpus() && !has_claims) continue;
        const int hunger = known.hunger(known.tenant_of(pod->metadata.namespace_));
        all.push_back(
            {{hunger, -pod->spec.priority.value_or(0), pod->metadata.creation_timestamp, name_of(*pod)}, pod});
    }
    std::ranges::sort(
        all, {}, [](const auto& each) -> const auto& { return each.first; });
    std::vector<cluster_view::pod_object> out;
    for (auto& each : all) out.push_back(std::move(each.second));
    return out;
}

http::response answers::pending(const http::routed_request& asked) const {
    return whole_answer(asked, refresh(), [this] {
        writer out;
        out.begin_object();
        json::begin_array(out, "items");
        std::map<std::string, int> places;  // a gang is one place
        int last = 0;
        for (const auto& pod : queue_of(*view_, *board_)) {
            const auto gang = read_claim(*pod).gang;
            const auto [found, is_new] = places.try_emplace(gang.empty() ? name_of(*pod) : "gang " + gang, last + 1);
            if (is_new) ++last;
            out.begin_object();
            out.member("pod", name_of(*pod));
            json::write_text_or_null(out, "gang", gang);
            out.member("tenant", board_->tenant_of(pod->metadata.namespace_));
            out.member("since", kcontrol::format_time(pod->metadata.creation_timestamp.value()));
            out.member("place", found->second);
            out.member("reason", condition_of(*pod));
            // The first ones of the queue: each is a trial on all nodes.
            json::write_values(out, "would", found->second <= 10 ? would(pod) : std::vector<std::string>());
            out.end_object();
        }
        out.end_array();
        out.end_object();
        return out.take();
    });
}

}  // namespace gpu_scheduler

#include "web/answers.hpp"

#include <kcontrol/codec/codec.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/json/writer.hpp>
#include <kcontrol/serve/responses.hpp>
#include <kcontrol/values/time.hpp>

#include "control/tenant_status.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <tuple>

namespace gpu_scheduler {

namespace http = kcontrol::http;
namespace core = kcontrol::api::core::v1;
using kcontrol::json::writer;

namespace {

http::response no_leader() {
    return http::try_again_response(5, "this replica does not schedule now: it does not lead");
}

// The parameters of a request, all of which are known.
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

http::response items(const writer& from) { return http::json_response(200, std::string(from.text())); }

std::string condition_of(const core::pod& pod) {
    for (const auto& each : pod.status.conditions) {
        if (each.type == "PodScheduled" && each.status == "False") return each.message.str();
    }
    return {};
}

std::string name_of(const core::pod& pod) { return pod.metadata.namespace_.str() + "/" + pod.metadata.name.str(); }

bool waits(const core::pod& pod) {
    return pod.spec.node_name.empty() && pod.status.phase == "Pending" && !pod.metadata.deletion_timestamp;
}

bool is_ready(const core::node& node) {
    const auto found = std::ranges::find(node.status.conditions, "Ready", [](const auto& c) { return c.type.view(); });
    return found == node.status.conditions.end() || found->status == "True";
}

void write_gpu(writer& to, const node_state& on, std::size_t i) {
    const auto& gpu = on.ledger.devices().gpus[i];
    const auto& use = on.ledger.use(i);
    const auto free_slots = on.ledger.profiles(i).empty()
                                ? 0
                                : on.ledger.profiles(i).front().slots - static_cast<unsigned>(std::popcount(use.slots));
    std::int64_t free = use.wholes > 0 ? 0 : std::max<std::int64_t>(0, gpu.memory_mib - use.memory_mib);
    if (!on.ledger.profiles(i).empty()) free = gpu.memory_mib * free_slots / on.ledger.profiles(i).front().slots;
    to.begin_object();
    to.member("index", gpu.index);
    to.member("uuid", gpu.uuid);
    to.member("memoryMiB", gpu.memory_mib);
    to.member("freeMiB", free);
    to.member("cores", gpu.cores);
    to.member("freeCores", use.wholes > 0 ? 0 : std::max(0, gpu.cores - use.cores));
    to.member("healthy", gpu.is_healthy);
    to.key("slices");
    to.begin_array();
    for (const auto& held : on.holdings) {
        for (const auto& each : held.devices) {
            if (each.uuid != gpu.uuid || !each.is_slice()) continue;
            to.begin_object();
            to.member("profile", each.profile);
            to.member("start", each.start);
            to.member("pod", held.pod);
            to.end_object();
        }
    }
    to.end_array();
    to.key("pods");
    to.begin_array();
    for (const auto& held : on.holdings) {
        if (std::ranges::count(held.devices, gpu.uuid, &device_hold::uuid) > 0) to.value(held.pod);
    }
    to.end_array();
    to.end_object();
}

}  // namespace

bool answers::refresh() const {
    return scheduler_->look_at([this](const kcontrol::scheduling::snapshot& nodes) { board_->refresh(nodes); });
}

http::response answers::nodes(const http::routed_request& asked) const {
    if (const auto query = parameters_of(asked, {}); !query) return http::error_response(400, query.error().message());
    if (!refresh()) return no_leader();
    writer out;
    out.begin_object();
    out.key("items");
    out.begin_array();
    for (const auto& on : board_->nodes()) {
        if (on == nullptr || on->ledger.devices().gpus.empty()) continue;
        out.begin_object();
        out.member("name", on->node->metadata.name.view());
        out.member("product", on->product());
        const bool is_cordoned = on->node->spec.unschedulable.value_or(false);
        out.member("state", !is_ready(*on->node) ? "not-ready" : is_cordoned ? "cordoned" : "ready");
        out.member("forecast", true);  // the kubelet chooses the devices
        out.key("gpus");
        out.begin_array();
        for (std::size_t i = 0; i < on->ledger.devices().gpus.size(); ++i) write_gpu(out, *on, i);
        out.end_array();
        out.end_object();
    }
    out.end_array();
    out.end_object();
    return items(out);
}

http::response answers::tenants(const http::routed_request& asked) const {
    if (const auto query = parameters_of(asked, {}); !query) return http::error_response(400, query.error().message());
    if (!refresh()) return no_leader();
    writer out;
    out.begin_object();
    out.key("items");
    out.begin_array();
    for (const auto& each : board_->tenants()) {
        out.begin_object();
        out.member("name", each.metadata.name.view());
        out.key("status");
        out.raw(kcontrol::to_json(status_of(*board_, each, m_.env().wall_now())));
        out.end_object();
    }
    out.end_array();
    out.end_object();
    return items(out);
}

http::response answers::pending(const http::routed_request& asked) const {
    if (const auto query = parameters_of(asked, {}); !query) return http::error_response(400, query.error().message());
    if (!refresh()) return no_leader();
    struct place {
        std::tuple<int, std::int32_t, kcontrol::timestamp, std::string> order;
        pod_object pod;
        std::string gang;
    };
    std::vector<place> all;
    for (auto& pod : m_.get_informer<core::pod>()->list()) {
        if (!waits(*pod) || !scheduler_->schedules(*pod)) continue;
        const auto claim = read_claim(*pod);
        if (!claim.has_gpus() || !pod->spec.scheduling_gates.empty()) continue;
        const int hunger = board_->hunger(board_->tenant_of(pod->metadata.namespace_));
        all.push_back({{hunger, -pod->spec.priority.value_or(0), pod->metadata.creation_timestamp, name_of(*pod)},
                       pod,
                       claim.gang});
    }
    std::ranges::sort(all, {}, &place::order);
    writer out;
    out.begin_object();
    out.key("items");
    out.begin_array();
    std::map<std::string, int> places;  // a gang is one place
    int last = 0;
    for (const auto& each : all) {
        const auto& key = each.gang.empty() ? name_of(*each.pod) : "gang " + each.gang;
        const auto [found, is_new] = places.try_emplace(key, last + 1);
        if (is_new) ++last;
        out.begin_object();
        out.member("pod", name_of(*each.pod));
        out.key("gang");
        each.gang.empty() ? out.null() : out.value(each.gang);
        out.member("tenant", board_->tenant_of(each.pod->metadata.namespace_));
        out.member("since", kcontrol::format_time(each.pod->metadata.creation_timestamp.value()));
        out.member("place", found->second);
        out.member("reason", condition_of(*each.pod));
        out.key("would");
        out.begin_array();
        // The first ones of the queue: each is a trial on all nodes.
        if (found->second <= 10) {
            for (const auto& sentence : would(each.pod)) out.value(sentence);
        }
        out.end_array();
        out.end_object();
    }
    out.end_array();
    out.end_object();
    return items(out);
}

// What would help, each tried on the nodes as they are.
std::vector<std::string> answers::would(const pod_object& pod) const {
    std::vector<std::string> out;
    const auto claim = read_claim(*pod);
    if (!claim.wrong.empty() || claim.request.empty()) return out;
    const auto amount = board_->amount_of(claim.request);
    const auto limits = board_->limits_of(board_->tenant_of(pod->metadata.namespace_));
    for (const auto& each : limits) {
        if (board_->has_tenants() && each.product.empty() && amount > each.left) out.push_back(each.sentence);
    }
    // Gang members that wait for others say so themselves.
    const auto said = condition_of(*pod);
    const auto gang = said.find(" members exist");
    if (gang != std::string::npos) out.push_back(said);
    if (!out.empty()) return out;
    kcontrol::scheduling::preemption_policy anybody;
    anybody.may_evict([](const auto&, const auto&) { return true; });
    const kcontrol::namespaced_name name(pod->metadata.namespace_.str(), pod->metadata.name.str());
    const auto plan = scheduler_->what_must_go(name, anybody);
    refresh();
    if (!plan || !plan->found() || plan->victims.empty()) return out;
    const auto& node = plan->places.front().node;
    std::string held_by;
    std::int64_t freed = 0;
    for (const auto& victim : plan->victims) {
        held_by.append(held_by.empty() ? "" : ", ").append(name_of(victim->pod())).append(", priority ");
        held_by.append(std::to_string(victim->priority()));
        freed += board_->amount_of(read_claim(victim->pod()).request);
    }
    const auto gpus = (freed + whole_gpu - 1) / whole_gpu;
    out.push_back("fits when " + std::to_string(gpus) + " more GPU" + (gpus == 1 ? " is" : "s are") + " free on " +
                  node + " (held by " + held_by + ")");
    return out;
}

http::response answers::why(const http::routed_request& asked) const {
    const auto query = parameters_of(asked, {"pod"});
    if (!query) return http::error_response(400, query.error().message());
    const auto said = query->contains("pod") ? query->at("pod") : std::string();
    const auto slash = said.find('/');
    if (slash == std::string::npos || slash == 0 || slash + 1 == said.size()) {
        return http::error_response(400, "parameter pod: " + in_quotes(said) + " is not NAMESPACE/NAME");
    }
    const kcontrol::namespaced_name name(said.substr(0, slash), said.substr(slash + 1));
    const auto pod = m_.get_informer<core::pod>()->get(name);
    if (pod == nullptr) return http::error_response(404, "parameter pod: there is no pod " + in_quotes(said));
    if (!refresh()) return no_leader();
    const bool is_gated = !pod->spec.scheduling_gates.empty();
    writer out;
    out.begin_object();
    out.member("state", !waits(*pod) ? "placed" : is_gated ? "gated" : "waiting");
    std::string sentence = condition_of(*pod);
    if (!waits(*pod)) sentence = "it is on node " + pod->spec.node_name.str();
    std::vector<kcontrol::scheduling::node_explanation> nodes;
    if (waits(*pod) && !is_gated) {
        auto explained = scheduler_->explain(name);
        if (!explained) return http::error_response(400, "parameter pod: " + explained.error().message());
        if (sentence.empty()) sentence = explained->decided.message();
        nodes = std::move(explained->nodes);
        refresh();
    }
    out.member("sentence", sentence);
    out.key("nodes");
    out.begin_array();
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
    out.key("would");
    out.begin_array();
    if (waits(*pod) && !is_gated) {
        for (const auto& each : would(pod)) out.value(each);
    }
    out.end_array();
    out.end_object();
    return items(out);
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
    return items(out);
}

void answers::collect(kcontrol::metrics_writer& out) const {
    if (!refresh()) return;
    struct sums {
        std::int64_t capacity = 0, held = 0, free = 0, stranded = 0;
    };
    std::map<std::string, sums> by_product;
    double free = 0, fragmented = 0;
    for (const auto& on : board_->nodes()) {
        if (on == nullptr || on->ledger.devices().gpus.empty()) continue;
        auto& to = by_product[on->product()];
        to.capacity += on->capacity();
        for (const auto& each : on->holdings) to.held += each.amount;
        const auto left = room_of(on->ledger, 1'000'000'000);
        const auto lost = board_->by().usual_on(on->product()).of(left);
        free += static_cast<double>(free_milli(left));
        fragmented += lost;
        out.gauge("gpu_scheduler_node_fragmentation_ratio", "Free GPUs of a node that the usual pods can't use",
                  {{"node", on->node->metadata.name.str()}},
                  free_milli(left) == 0 ? 0 : lost / static_cast<double>(free_milli(left)));
    }
    for (const auto& [product, of] : by_product) {
        out.gauge("gpu_scheduler_allocation_ratio", "GPUs that pods hold, of those that are healthy",
                  {{"product", product}},
                  of.capacity == 0 ? 0 : static_cast<double>(of.held) / static_cast<double>(of.capacity));
    }
    out.gauge("gpu_scheduler_fragmentation_ratio", "Free GPUs that the usual pods can't use", {},
              free == 0 ? 0 : fragmented / free);
    if (!board_->has_tenants()) return;
    for (const auto& product : board_->products()) {
        const std::string word = product.empty() ? "*" : product;
        for (const auto& each : board_->tenants()) {
            const auto* account = board_->book(product).find(each.metadata.name);
            if (account == nullptr) continue;
            const kcontrol::metric_labels labels{{"tenant", each.metadata.name.str()}, {"product", word}};
            const auto gpus = [](std::int64_t milli) { return static_cast<double>(milli) / milli_per_gpu; };
            out.gauge("gpu_scheduler_tenant_allocated_gpus", "GPUs that the pods of a tenant hold", labels,
                      gpus(account->allocated));
            out.gauge("gpu_scheduler_tenant_fair_share_gpus", "GPUs that are due to a tenant", labels,
                      gpus(account->fair_share));
            out.gauge("gpu_scheduler_tenant_quota_gpus", "GPUs that are guaranteed to a tenant", labels,
                      static_cast<double>(account->claim.quota));
        }
    }
}

}  // namespace gpu_scheduler

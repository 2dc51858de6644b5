#include "plugins/gpu_plugin.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace gpu_scheduler {

using kcontrol::scheduling::event_actions;
using kcontrol::scheduling::event_kind;
using kcontrol::scheduling::interned_name;
using kcontrol::scheduling::node_info;
using kcontrol::scheduling::placement;
using kcontrol::scheduling::pod_info;
using kcontrol::scheduling::snapshot;
using kcontrol::scheduling::status;

namespace {

constexpr std::string_view claim_resource = "resource.k8s.io/ResourceClaim";

std::string_view domain_of(const node_info& node, std::string_view key) {
    const auto* value = node.label(key);
    return value == nullptr ? std::string_view() : value->view();
}

// How many pods like this one the node takes at most, by its GPUs and by what is left of everything else.
std::int64_t most_on(const pod_info& pod, const gpu_request& request, const node_info& node, const node_state& on) {
    auto out = most_pods(request, on.ledger);
    const auto bound = [&](std::int64_t has, std::int64_t used, std::int64_t wanted) {
        if (wanted > 0) out = std::min(out, std::max<std::int64_t>(0, has - used) / wanted);
    };
    bound(node.allocatable().cpu_milli, node.requested().cpu_milli, pod.requests().cpu_milli);
    bound(node.allocatable().memory, node.requested().memory, pod.requests().memory);
    bound(node.allocatable().pods, node.requested().pods, 1);
    return node.is_unschedulable() ? 0 : out;
}

// The domain of the gang's pods that hold GPUs, as of the board's last refresh; or none.
std::string_view domain_of_gang(const board& known, const pod_info& pod, const pod_claim& claim, std::string_view key) {
    for (const auto& on : known.nodes()) {
        if (on == nullptr) continue;
        const bool is_there = std::ranges::any_of(
            on->holdings, [&](const gpu_holding& each) { return each.unit == claim.gang && each.uid != pod.uid(); });
        const auto* value = is_there ? on->node->metadata.labels.get(key) : nullptr;
        if (is_there) return value == nullptr ? std::string_view() : value->view();
    }
    return {};
}

}  // namespace

std::vector<event_kind> gpu_plugin::events() {
    return {{interned_name("Node"), event_actions::add | event_actions::update_node_allocatable |
                                        event_actions::update_node_label | event_actions::update_node_annotation},
            {interned_name("Pod"),
             event_actions::delete_ | event_actions::update_pod_annotation | event_actions::update_pod_scale_down},
            {interned_name(claim_resource), event_actions::update_other | event_actions::delete_},
            {interned_name(tenant_resource), event_actions::all}};
}

bool gpu_plugin::may_help(const pod_info&, const kcontrol::scheduling::cluster_event& event) {
    if (event.kind.resource != claim_resource) return true;
    const auto before = event.before.as<gpu_claims::catalog::claim>();
    const auto after = event.after.as<gpu_claims::catalog::claim>();
    if (before == nullptr) return after == nullptr;
    return before->status.allocation && (after == nullptr || !after->status.allocation);
}

kcontrol::scheduling::queue_rank gpu_plugin::queue_sort(const kcontrol::scheduling::queued_pod& pod) const {
    auto out = kcontrol::scheduling::scheduling_queue::default_rank(pod);
    if (board_->has_tenants()) out[0] = board_->hunger(board_->tenant_of(pod.pod->namespace_()));
    return out;
}

bool gpu_plugin::takes(const node_info& node) const { return nodes_.empty() || nodes_.selects(node.node().metadata); }

// What no node can change by itself: the pod's own words, and what no node has.
std::string gpu_plugin::wrong_with(const pod_claim& claim, const pod_info& pod, const snapshot& nodes) const {
    if (!claim.wrong.empty()) return claim.wrong;
    if (const auto* record = pod.pod().metadata.annotations.get(record_annotation)) {
        return "annotation " + std::string(record_annotation) + ": " +
               in_quotes(kcontrol::utf8_prefix(record->view(), 200)) +
               " is there before the pod has a node; leave it out";
    }
    if (!claim.topology_key.empty() && claim.is_required) {
        const bool is_known = std::ranges::any_of(
            nodes.nodes(), [&](const node_info* node) { return node->label(claim.topology_key) != nullptr; });
        if (!is_known) {
            return "annotation " + std::string(topology_wish_annotation) + ": no node has the label " +
                   in_quotes(claim.topology_key);
        }
    }
    const bool is_of_parts = std::ranges::any_of(
        claim.request.containers, [](const auto& each) { return each.memory_mib > 0 || !each.slices.empty(); });
    if (!is_of_parts) return {};
    const auto has_class = [this](std::string profile) {
        std::ranges::replace(profile, '+', '.');
        return board_->claims() != nullptr &&
               board_->claims()->objects()->find_class_for("nvidia.com/mig-" + profile) != nullptr;
    };
    std::int64_t most_memory = 0;
    std::set<std::string_view> profiles;
    for (const auto& on : board_->nodes()) {
        if (on == nullptr || on->ledger.devices().source == device_source::claims) continue;
        const auto& gpus = on->ledger.devices().gpus;
        for (std::size_t i = 0; i < gpus.size(); ++i) {
            most_memory = std::max(most_memory, gpus[i].memory_mib);
            for (const auto& each : on->ledger.profiles(i)) profiles.insert(each.name);
        }
    }
    for (const auto& each : claim.request.containers) {
        if (most_memory > 0 && each.memory_mib > most_memory) {
            return "nvidia.com/gpumem: \"" + std::to_string(each.memory_mib) +
                   "\" MiB is more than any GPU has: " + std::to_string(most_memory);
        }
        for (const auto& profile : each.slices) {
            if (!profiles.contains(profile) && !has_class(profile)) {
                return "nvidia.com/mig-" + profile + ": no GPU of this cluster has such slices";
            }
        }
    }
    return {};
}

status gpu_plugin::pre_filter(state& of, const pod_info& pod, const snapshot& nodes) const {
    of = {};
    auto claim = std::make_shared<pod_claim>(read_claim(pod.pod()));
    of.may_take_claims = board_->claims() != nullptr && board_->claims()->may_take(pod);
    if (!claim->has_gpus() && !of.may_take_claims) return nodes_.empty() ? status::skip() : status();
    board_->refresh(nodes);
    if (const auto wrong = wrong_with(*claim, pod, nodes); !wrong.empty()) {
        return status::unresolvable(interned_name(wrong));
    }
    of.amount = board_->amount_of(pod.pod());
    const auto product = claim->product;
    if (!claim->request.empty()) {
        of.kind = board_->kind_of(claim->request, pod.requests().cpu_milli);
        if (claim->is_required && !claim->gang.empty())
            of.domain = domain_of_gang(*board_, pod, *claim, claim->topology_key);
        of.claim = std::move(claim);
    } else if (of.amount == 0) {
        return nodes_.empty() ? status::skip() : status();
    }
    if (!board_->has_tenants()) return {};
    of.limits = board_->limits_of(board_->tenant_of(pod.namespace_()));
    for (const auto& each : of.limits) {
        const bool is_any = each.product.empty() || each.product == product;
        if (is_any && of.amount > each.left) return status::unschedulable(interned_name(each.sentence));
    }
    return {};
}

// In a trial a pod comes or goes: what is left until the limits changes.
void gpu_plugin::change(state& of, const pod_info& other, const node_info& node, int times) const {
    if (of.limits.empty()) return;
    const auto& on = board_->at(node);
    const auto request = read_claim(other.pod()).request;
    auto amount = is_by_claim(request, other, node) ? 0 : amount_of(request, on.ledger);
    const auto names =
        board_->claims() == nullptr ? gpu_claims::claim_names() : board_->claims()->all_names_of(other.pod());
    // A place is kept for a pod whose claims have nothing yet.
    if (board_->claims() != nullptr) amount += board_->claims()->most_of(other.pod(), node.node());
    for (const auto& each : names) {
        const auto claim = board_->claims()->find(each);
        if (claim == nullptr || !board_->claims()->is_given(claim)) continue;
        const auto users = std::max<std::int64_t>(1, static_cast<std::int64_t>(claim->status.reserved_for.size()));
        auto& left = of.users.try_emplace(each, users).first->second;
        const auto before = std::exchange(left, left - times);
        // The last one that goes, or the first one that comes.
        if ((times > 0 ? left : before) == 0) amount += board_->claims()->held_by(claim).amount;
    }
    if (amount == 0) return;
    const auto way = board_->book("").way_up(board_->tenant_of(other.namespace_()));
    for (auto& each : of.limits) {
        if (!each.product.empty() && each.product != on.product()) continue;
        if (std::ranges::count(way, each.tenant, [](const auto* one) { return one->claim.name; }) == 0) continue;
        each.left += times * amount;
    }
}

status gpu_plugin::filter(const state& of, const pod_info& pod, const node_info& node) const {
    if (!takes(node)) return status::unresolvable(not_ours_);
    if (of.claim == nullptr && of.limits.empty()) return {};
    auto& on = board_->at(node);
    const bool is_sliced = on.ledger.devices().source == device_source::claims;
    const bool claims_decide = of.claim != nullptr && is_sliced && is_by_claim(of.claim->request, pod, node);
    if (of.claim != nullptr && is_sliced && !claims_decide) return status::unresolvable(for_claims_);
    if (!of.domain.empty() && domain_of(node, of.claim->topology_key) != of.domain) {
        return status::unresolvable(elsewhere_);
    }
    if (of.claim != nullptr && of.claim->is_required && !of.claim->gang.empty() &&
        node.label(of.claim->topology_key) == nullptr) {
        return status::unresolvable(elsewhere_);
    }
    // A share is a larger part of a smaller GPU, and a claim may get other devices than the smallest ones.
    std::int64_t amount = 0;
    if (!of.limits.empty() && of.claim != nullptr && !claims_decide) amount = amount_of(of.claim->request, on.ledger);
    if (!of.limits.empty() && of.may_take_claims) amount += board_->claims()->most_of(pod.pod(), node.node());
    for (const auto& each : of.limits) {
        const bool is_here = each.product.empty() || each.product == on.product();
        if (is_here && amount > 0 && amount > each.left) return status::unschedulable(interned_name(each.sentence));
    }
    if (of.claim == nullptr || claims_decide) return {};  // DynamicResources decides
    const auto& answer = board_->answer(on, node, of.kind, of.claim->request, pod.requests().cpu_milli);
    return answer.best ? status() : refusal(*of.claim, on, answer.could_ever);
}

bool gpu_plugin::is_by_claim(const gpu_request& request, const pod_info& pod, const node_info& node) const {
    return board_->claims() != nullptr && board_->claims()->takes_place_of(request, pod.pod(), node.node());
}

status gpu_plugin::refusal(const pod_claim& claim, const node_state& on, bool could_ever) const {
    if (!on.wrong.empty()) return status::unresolvable(unreadable_);
    bool has_shares = false, has_slices = false;
    for (const auto& each : claim.request.containers) {
        has_shares |= each.is_share;
        has_slices |= !each.slices.empty();
    }
    if (could_ever) return status::unschedulable(has_slices ? no_place_ : has_shares ? little_free_ : few_free_);
    if (has_shares && on.ledger.devices().source != device_source::hami) return status::unresolvable(no_shares_);
    return status::unresolvable(has_slices ? no_slices_ : has_shares ? little_ : few_);
}

// The best node has 100, the others less by their order: one step decides more than all other plugins together.
status gpu_plugin::pre_score(state& of, const pod_info& pod, const snapshot&,
                             std::span<const node_info* const> feasible) const {
    of.scores.clear();
    if (of.claim == nullptr) return status::skip();
    std::vector<std::tuple<std::int64_t, std::int64_t, std::size_t>> order;
    for (const auto* node : feasible) {
        auto& on = board_->at(*node);
        const auto& answer = board_->answer(on, *node, of.kind, of.claim->request, pod.requests().cpu_milli);
        if (answer.best) order.emplace_back(answer.best->cost, answer.best->tie, node->slot());
    }
    std::ranges::sort(order);
    for (std::size_t i = 0, rank = 0; i < order.size(); ++i) {
        const auto [cost, tie, slot] = order[i];
        if (i > 0 && std::tie(cost, tie) != std::tie(std::get<0>(order[i - 1]), std::get<1>(order[i - 1]))) rank = i;
        of.scores.emplace_back(slot, static_cast<int>(rank == 0 ? 100 : 99 - 99 * rank / order.size()));
    }
    std::ranges::sort(of.scores);
    return {};
}

std::int64_t gpu_plugin::score(const state& of, const pod_info&, const node_info& node) const {
    const auto found = std::ranges::lower_bound(of.scores, std::pair(node.slot(), 0));
    return found == of.scores.end() || found->first != node.slot() ? 0 : found->second;
}

status gpu_plugin::reserve(state& of, placement& to, const node_info& node) {
    if (of.claim == nullptr) return {};
    auto& on = board_->at(node);
    if (on.ledger.devices().source == device_source::claims) return {};
    const auto cpu = to.pod().requests().cpu_milli;
    std::optional<allocation> made;
    if (board_->with().takes_turns) {
        made = allocate(on.ledger, of.claim->request, {node.allocatable().cpu_milli - node.requested().cpu_milli, cpu},
                        board_->by(), &board_->turns());
    } else {
        made = board_->answer(on, node, of.kind, of.claim->request, cpu).best;
    }
    if (!made) return status::unschedulable(few_free_);
    to.annotate(std::string(record_annotation), write_record(made->devices));
    of.needs_lock = hami_ != nullptr && on.ledger.devices().source == device_source::hami;
    if (of.needs_lock) hami_->annotate(to, made->devices, on.ledger.devices(), board_->now());
    return {};
}

void gpu_plugin::unreserve(state& of, const placement& from) noexcept {
    if (!of.lock.empty()) hami_->release(from.node(), std::exchange(of.lock, {}));
}

kcontrol::awaitable<status> gpu_plugin::pre_bind(state& of, placement& to) {
    if (!of.needs_lock) co_return status();
    const auto by = hami_;  // the plugin may be replaced meanwhile
    auto out = co_await by->lock(of.lock, to);
    co_return out;
}

// The domains of each key that may have room for the gang, the fullest first; in the end all nodes, unless one domain
// is required.
std::vector<std::vector<const node_info*>> gpu_plugin::generate_placements(
    std::span<const std::shared_ptr<const pod_info>> members, std::int32_t needed, const snapshot& nodes) const {
    const auto& first = *members.front();
    const auto claim = read_claim(first.pod());
    std::vector<std::vector<const node_info*>> out;
    if (claim.request.empty() || !claim.wrong.empty()) return out;
    board_->refresh(nodes);
    auto keys = board_->with().topology_keys;
    const auto& costs = board_->with().costs;
    if (costs.over(costs.rack) >= costs.over(costs.far)) keys.clear();  // nothing is won
    if (!claim.topology_key.empty()) keys.assign(1, claim.topology_key);
    std::vector<std::pair<const node_info*, std::int64_t>> able;
    for (const auto* node : nodes.nodes()) {
        const auto& on = board_->at(*node);
        const bool is_source = takes(*node) && (on.ledger.devices().source != device_source::claims ||
                                                is_by_claim(claim.request, first, *node));
        const auto most = is_source ? most_on(first, claim.request, *node, on) : 0;
        if (most > 0) able.emplace_back(node, most);
    }
    for (const auto& key : keys) {
        std::map<std::string_view, std::pair<std::int64_t, std::vector<const node_info*>>> domains;
        const auto placed_in = domain_of_gang(*board_, first, claim, key);
        for (const auto& [node, most] : able) {
            const auto domain = domain_of(*node, key);
            if (domain.empty() || (!placed_in.empty() && domain != placed_in)) continue;
            auto& to = domains[domain];
            to.first += most;
            to.second.push_back(node);
        }
        std::vector<std::pair<std::int64_t, std::string_view>> order;
        for (const auto& [domain, of] : domains) {
            if (of.first >= needed) order.emplace_back(of.first, domain);
        }
        std::ranges::sort(order);
        for (const auto& [room, domain] : order) out.push_back(domains[domain].second);
    }
    if (!claim.is_required) out.push_back(nodes.nodes());
    return out;
}

}  // namespace gpu_scheduler

#include "cluster/board.hpp"

#include "devices/node_sources.hpp"

#include <algorithm>
#include <tuple>

namespace gpu_scheduler {
namespace {

using kcontrol::scheduling::node_info;
using kcontrol::scheduling::pod_info;

std::string name_of(const pod_info& pod) { return std::string(pod.namespace_()) + "/" + std::string(pod.name()); }

// As placement sees a request: GPUs, and the part of each.
demand usual_demand(const gpu_request& request, std::int64_t cpu_milli, std::int64_t amount) {
    demand out{cpu_milli, 0, whole_gpu};
    for (const auto& each : request.containers) out.gpus += each.gpus + static_cast<int>(each.slices.size());
    if (out.gpus > 0) out.milli = std::max(1, static_cast<int>(amount / out.gpus));
    return out;
}

const tenant_quota* quota_of(const tenant& of, std::string_view product) {
    const auto found =
        std::ranges::find(of.spec.quotas, product, [](const tenant_quota& q) { return q.product.view(); });
    return found == of.spec.quotas.end() ? nullptr : &*found;
}

}  // namespace

std::int64_t node_state::capacity() const {
    return std::ranges::count_if(ledger.devices().gpus, &gpu::is_healthy) * milli_per_gpu;
}

void board::set(settings all) {
    settings_ = std::move(all);
    placer_for_ = 0;
    start_over();
    renew_placer();
}

void board::set_tenants(std::vector<tenant> all) {
    tenants_ = all;
    members_.emplace(std::move(all));
    products_ = {""};
    for (const auto& each : tenants_) {
        for (const auto& quota : each.spec.quotas) products_.insert(quota.product == "*" ? "" : quota.product.str());
    }
    forget_namespaces();
}

void board::forget_namespaces() {
    tenant_of_.clear();
    start_over();
    waits_.clear();
    pending_.clear();
    for (auto& [uid, pod] : waiting_) {
        pod.tenant = tenant_of(pod.namespace_);
        count(pod, 1);
    }
    note_hunger();
}

// Everything is made anew with the next refresh().
void board::start_over() {
    for (auto& each : states_) {
        if (each != nullptr) count(*each, -1);
    }
    states_.clear();
    slot_of_.clear();
    tried_ = {};
    changed();
}

const std::string& board::tenant_of(std::string_view namespace_) {
    const auto found = tenant_of_.find(namespace_);
    if (found != tenant_of_.end()) return found->second;
    std::string name(default_tenant);
    if (members_) name = members_->tenant_of(namespace_, labels_of_(namespace_));
    return tenant_of_.emplace(namespace_, std::move(name)).first->second;
}

void board::changed() { books_.clear(); }

void board::set_waiting(const kcontrol::api::core::v1::pod& pod) {
    remove_waiting(pod.metadata.uid);
    const bool waits = pod.spec.node_name.empty() && pod.spec.scheduling_gates.empty() &&
                       !pod.metadata.deletion_timestamp && pod.status.phase == "Pending";
    if (!waits) return;
    auto claim = read_claim(pod);
    if (claim.request.empty() || !claim.wrong.empty()) return;
    const pod_info info(std::make_shared<const kcontrol::api::core::v1::pod>(pod));
    const auto amount = amount_of(claim.request);
    waiting_pod made{pod.metadata.namespace_.str(),
                     tenant_of(pod.metadata.namespace_),
                     std::move(claim.product),
                     std::move(claim.request),
                     amount,
                     info.requests().cpu_milli};
    if (!slot_of_.contains(pod.metadata.uid.str())) count(made, 1);
    waiting_.insert_or_assign(pod.metadata.uid.str(), std::move(made));
    ++waiting_version_;
    note_hunger();
}

void board::remove_waiting(std::string_view uid) {
    const auto found = waiting_.find(std::string(uid));
    if (found == waiting_.end()) return;
    if (!slot_of_.contains(found->first)) count(found->second, -1);
    waiting_.erase(found);
    ++waiting_version_;
}

void board::count(const waiting_pod& of, int times) {
    waits_[{"", of.tenant}] += times * of.amount;
    if (products_.contains(of.product) && !of.product.empty()) waits_[{of.product, of.tenant}] += times * of.amount;
    pending_[of.tenant] += times;
    changed();
}

void board::count(const node_state& of, int times) {
    const auto& product = of.product();
    capacity_[product] += times * of.capacity();
    for (const auto& each : of.holdings) {
        held_[{"", each.tenant}] += times * each.amount;
        if (products_.contains(product) && !product.empty()) held_[{product, each.tenant}] += times * each.amount;
        const auto waits = waiting_.find(each.uid);
        if (waits != waiting_.end()) count(waits->second, -times);  // until the API server shows its node
    }
    changed();
}

void board::refresh(const kcontrol::scheduling::snapshot& nodes) {
    bool any = states_.size() != nodes.slots();
    if (states_.size() > nodes.slots()) start_over();
    states_.resize(nodes.slots());
    for (std::size_t slot = 0; slot < states_.size(); ++slot) {
        const auto* node = nodes.at(slot);
        auto& state = states_[slot];
        if (node == nullptr ? state == nullptr : state != nullptr && state->version == node->version()) continue;
        any = true;
        if (state != nullptr) {
            count(*state, -1);
            for (const auto& each : state->holdings) {
                const auto known = slot_of_.find(each.uid);
                if (known != slot_of_.end() && known->second == slot) slot_of_.erase(known);
            }
        }
        if (node == nullptr) {
            state = nullptr;
            continue;
        }
        if (state == nullptr) state = std::make_unique<node_state>();
        make(*state, *node);
        count(*state, 1);
        for (const auto& each : state->holdings) slot_of_.insert_or_assign(each.uid, slot);
    }
    if (!any) return;
    note_hunger();
    renew_placer();
}

const node_state* board::find(std::string_view name) const {
    const auto found = std::ranges::find_if(
        states_, [name](const auto& each) { return each != nullptr && each->node->metadata.name == name; });
    return found == states_.end() ? nullptr : found->get();
}

double board::unusable(const node_state& on) {
    return placer_->usual_on(on.product()).of(room_of(on.ledger, 1'000'000'000));
}

node_state& board::at(const node_info& node) {
    if (node.slot() < states_.size() && states_[node.slot()] != nullptr &&
        states_[node.slot()]->version == node.version()) {
        return *states_[node.slot()];
    }
    if (tried_.version == node.version()) return tried_;
    const bool is_known = node.slot() < states_.size() && states_[node.slot()] != nullptr &&
                          states_[node.slot()]->node == node.shared_node();
    if (is_known) {
        tried_.node = node.shared_node();
        tried_.wrong = states_[node.slot()]->wrong;
        tried_.without_pods = states_[node.slot()]->without_pods;
    }
    make(tried_, node);
    return tried_;
}

void board::make(node_state& out, const node_info& node) {
    if (out.node != node.shared_node() || out.node == nullptr) {
        out.node = node.shared_node();
        auto devices = read_devices(*out.node, settings_.costs);
        out.wrong = devices ? "" : devices.error().message();
        out.without_pods = node_ledger(devices ? std::move(*devices) : node_devices());
    }
    out.version = node.version();
    out.ledger = out.without_pods;
    out.holdings.clear();
    out.answers.clear();
    // Those with a record first: the others get what is left, whatever the order.
    std::vector<const pod_info*> pods = node.pods();
    std::ranges::sort(pods, {}, [](const pod_info* each) {
        return std::tuple(!each->pod().metadata.annotations.contains(record_annotation), each->uid());
    });
    for (const auto* each : pods) hold(out, *each);
}

void board::hold(node_state& on, const pod_info& pod) {
    const auto claim = read_claim(pod.pod());
    const auto* said = pod.pod().metadata.annotations.get(record_annotation);
    static const kcontrol::scheduling::interned_name resource(gpu_resource);
    if (!claim.has_gpus()) return;
    gpu_holding made;
    if (said != nullptr) {
        auto record = read_record(*said);
        if (record && matches(claim.request, *record)) made.devices = std::move(*record);
    }
    const bool is_nominated = said == nullptr && pod.pod().spec.node_name.empty();
    if (made.devices.empty() && is_nominated) {
        if (auto place = allocate(on.ledger, claim.request, {0, 0}, *placer_)) made.devices = std::move(place->devices);
    }
    const auto own_names = on.node->metadata.name.str() + "/";  // of GPUs that nobody names
    const bool has_own = on.ledger.devices().source == device_source::allocatable;
    for (const auto& each : made.devices) {
        static_cast<void>(on.ledger.add(each));
        // Another source names the node's GPUs than when this was given.
        if (each.uuid.starts_with(own_names) != has_own) on.ledger.add_unknown(1);
    }
    if (made.devices.empty()) on.ledger.add_unknown(static_cast<int>(pod.requests().extended(resource)));
    made.pod = name_of(pod);
    made.uid = pod.uid();
    made.tenant = tenant_of(pod.namespace_());
    made.unit = claim.gang.empty() ? made.uid : claim.gang;
    made.amount = gpu_scheduler::amount_of(claim.request, on.ledger);
    made.priority = pod.priority();
    if (const auto& start = pod.pod().status.start_time) made.started = start.value();
    made.usual = usual_demand(claim.request, pod.requests().cpu_milli, made.amount);
    on.holdings.push_back(std::move(made));
}

std::size_t board::kind_of(const gpu_request& request, std::int64_t cpu_milli) {
    std::string key = std::to_string(cpu_milli);
    for (const auto& each : request.containers) {
        for (const std::int64_t number : {std::int64_t{each.gpus}, std::int64_t{each.is_share}, each.memory_mib,
                                          std::int64_t{each.memory_percent}, std::int64_t{each.cores}}) {
            key.append(" ").append(std::to_string(number));
        }
        for (const auto& profile : each.slices) key.append(" ").append(profile);
    }
    return kinds_.try_emplace(std::move(key), kinds_.size()).first->second;
}

const node_answer& board::answer(node_state& on, const node_info& node, std::size_t kind, const gpu_request& request,
                                 std::int64_t cpu_milli) {
    const auto [found, is_new] = on.answers.try_emplace(kind);
    auto& out = found->second;
    if (!is_new) return out;
    out.best =
        allocate(on.ledger, request, {node.allocatable().cpu_milli - node.requested().cpu_milli, cpu_milli}, *placer_);
    out.could_ever =
        out.best || allocate(on.without_pods, request, {node.allocatable().cpu_milli, cpu_milli}, *placer_);
    return out;
}

// The usual pods are those that are there. They change slowly: what is known of nodes stays until a tenth of them has.
void board::renew_placer() {
    const auto pods = slot_of_.size() + waiting_.size();
    if (placer_for_ > 0 && pods <= placer_for_ + placer_for_ / 10 && pods + placer_for_ / 10 >= placer_for_) return;
    placer_for_ = std::max<std::size_t>(pods, 1);
    std::map<std::pair<demand, std::string>, double> usual;
    for (const auto& state : states_) {
        if (state == nullptr) continue;
        for (const auto& each : state->holdings) ++usual[{each.usual, ""}];
        state->answers.clear();
    }
    for (const auto& [uid, each] : waiting_) {
        ++usual[{usual_demand(each.request, each.cpu_milli, each.amount), each.product}];
    }
    std::vector<usual_pod> all;
    for (const auto& [kind, count] : usual) {
        usual_pod one{kind.first, {}, count};
        if (!kind.second.empty()) one.products.push_back(kind.second);
        all.push_back(std::move(one));
    }
    tried_.answers.clear();
    placer_ = std::make_unique<placer>(settings_.placement, std::move(all), settings_.costs.between(0, {}));
}

std::int64_t board::amount_of(const gpu_request& request) const {
    const node_state* largest = nullptr;
    const auto memory = [](const node_state& of) {
        const auto& gpus = of.ledger.devices().gpus;
        return gpus.empty() ? 0 : gpus.front().memory_mib;
    };
    for (const auto& each : states_) {
        if (each != nullptr && (largest == nullptr || memory(*each) > memory(*largest))) largest = each.get();
    }
    static const node_ledger none{node_devices()};
    return gpu_scheduler::amount_of(request, largest == nullptr ? none : largest->ledger);
}

board::tenant_product& board::product_book(const std::string& product) {
    if (const auto found = books_.find(product); found != books_.end()) return found->second;
    std::vector<tenant_account> accounts;
    const auto add = [&](const std::string& name, const tenant* of) {
        tenant_account made;
        made.claim.name = name;
        made.claim.own_request = requested(product, name);
        if (of != nullptr) {
            made.claim.parent = of->spec.parent.str();
            made.claim.weight = of->spec.weight;
            made.preemptible = of->spec.preemptible;
            made.min_runtime_seconds = of->spec.min_runtime_seconds;
            const auto* row = quota_of(*of, product.empty() ? "*" : product);
            if (row != nullptr) made.claim.limit = row->limit.value_or(-1);
            if (row != nullptr) made.claim.quota = row->gpus;
            std::int64_t named = 0;  // a quota of a product is one of GPUs, too
            for (const auto& each : of->spec.quotas) named += each.product == "*" ? 0 : each.gpus;
            if (product.empty()) made.claim.quota = std::max(made.claim.quota, named);
        }
        accounts.push_back(std::move(made));
    };
    for (const auto& each : tenants_) add(each.metadata.name.str(), &each);
    const bool is_named = std::ranges::any_of(accounts, [](const auto& a) { return a.claim.name == default_tenant; });
    if (!is_named) add(std::string(default_tenant), nullptr);
    std::int64_t gpus = 0;
    for (const auto& [name, amount] : capacity_) gpus += product.empty() || name == product ? amount : 0;
    tenant_book made(gpus / milli_per_gpu, std::move(accounts));
    for (const auto& [key, amount] : held_) {
        if (key.first == product) made.hold(key.second, amount);
    }
    return books_.emplace(product, tenant_product{std::move(made), false}).first->second;
}

const tenant_book& board::book(const std::string& product) { return product_book(product).all; }

std::int64_t board::requested(const std::string& product, const std::string& tenant) const {
    const auto in = [&](const sums& from) {
        const auto found = from.find({product, tenant});
        return found == from.end() ? 0 : found->second;
    };
    return in(held_) + in(waits_);
}

std::int64_t board::pending(const std::string& tenant) const {
    const auto found = pending_.find(tenant);
    return found == pending_.end() ? 0 : found->second;
}

std::vector<tenant_limit> board::limits_of(std::string_view tenant) {
    std::vector<tenant_limit> out;
    for (const auto& product : products_) {
        const auto& all = book(product);
        for (const auto* each : all.way_up(tenant)) {
            if (each->claim.limit < 0) continue;
            const auto left = each->claim.limit * milli_per_gpu - each->allocated;
            out.push_back({each->claim.name, product, left, *all.over_limit(each->claim.name, left + 1)});
        }
    }
    return out;
}

int board::hunger(std::string_view tenant) { return members_ ? book("").hunger(tenant, settings_.hunger) : 0; }

void board::note_hunger() {
    if (!members_) return;
    std::map<std::string, int> now;
    for (const auto& each : tenants_) now[each.metadata.name.str()] = hunger(each.metadata.name);
    now[std::string(default_tenant)] = hunger(default_tenant);
    if (now == classes_) return;
    classes_ = std::move(now);
    ++hunger_version_;
}

bool board::may_evict(const pod_info& preemptor, const pod_info& victim) {
    if (preemptor.pod().spec.preemption_policy == "Never") return false;
    const auto slot = slot_of_.find(std::string(victim.uid()));
    const auto& tenant = tenant_of(preemptor.namespace_());
    const bool is_more = victim.priority() < preemptor.priority();
    if (!members_ || slot == slot_of_.end() || tenant == tenant_of(victim.namespace_())) return is_more;
    const auto claim = read_claim(preemptor.pod());
    if (claim.request.empty()) return false;
    const auto& on = *states_[slot->second];
    auto& known = product_book(products_.contains(on.product()) ? on.product() : "");
    const auto now = now_();
    const auto pod_of = [&](const gpu_holding& of) {
        const auto ran = of.started ? std::chrono::duration_cast<std::chrono::seconds>(now - *of.started).count() : 0;
        return tenant_pod{of.unit, of.tenant, of.amount, of.priority, ran};
    };
    if (!std::exchange(known.has_running, true)) {
        std::map<std::string, tenant_pod> units;
        const bool is_all = !products_.contains(on.product()) || on.product().empty();
        for (const auto& state : states_) {
            if (state == nullptr || (!is_all && state->product() != on.product())) continue;
            for (const auto& each : state->holdings) {
                auto next = pod_of(each);
                const auto [found, is_new] = units.try_emplace(each.unit, next);
                if (is_new) continue;
                found->second.amount += next.amount;
                found->second.priority = std::max(found->second.priority, next.priority);
                found->second.running_seconds = std::max(found->second.running_seconds, next.running_seconds);
            }
        }
        std::vector<tenant_pod> running;
        for (auto& [name, each] : units) running.push_back(std::move(each));
        known.all.set_running(std::move(running));
    }
    const auto held = std::ranges::find(on.holdings, victim.uid(), &gpu_holding::uid);
    return held != on.holdings.end() &&
           known.all.may_take(tenant, amount_of(claim.request), preemptor.priority(), pod_of(*held));
}

std::string_view board::reason_to_evict(const pod_info& preemptor, const pod_info& victim) {
    const auto& tenant = tenant_of(preemptor.namespace_());
    const auto* account = book("").find(tenant);
    if (!members_ || account == nullptr || tenant == tenant_of(victim.namespace_())) return "priority";
    const bool is_counted = slot_of_.contains(std::string(preemptor.uid()));  // its place is kept already
    const auto more = is_counted ? 0 : amount_of(read_claim(preemptor.pod()).request);
    return account->allocated + more <= account->claim.quota * milli_per_gpu ? "quota" : "fair-share";
}

board::runtime_ends board::runtimes_between(kcontrol::wall_time since, kcontrol::wall_time now) {
    runtime_ends out;
    std::map<std::string_view, std::chrono::seconds> times;
    for (const auto& each : tenants_) {
        const std::chrono::seconds time(each.spec.min_runtime_seconds);
        if (time.count() > 0) times.emplace(each.metadata.name.view(), time);
    }
    for (const auto& state : states_) {
        if (state == nullptr || times.empty()) continue;
        for (const auto& held : state->holdings) {
            const auto found = held.started ? times.find(held.tenant) : times.end();
            if (found == times.end()) continue;
            const auto end = *held.started + found->second;
            out.any |= end > since && end <= now;
            if (end > now && (!out.next || end < *out.next)) out.next = end;
        }
    }
    return out;
}

}  // namespace gpu_scheduler

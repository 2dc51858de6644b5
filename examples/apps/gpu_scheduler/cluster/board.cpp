#include "cluster/board.hpp"

#include "devices/node_sources.hpp"
#include "hami/pod_annotations.hpp"

#include <algorithm>
#include <chrono>
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

std::int64_t gpu_memory(const node_state& of) {
    const auto& gpus = of.ledger.devices().gpus;
    return gpus.empty() ? 0 : gpus.front().memory_mib;
}

tenant_pod pod_of(const gpu_holding& of, kcontrol::wall_time now) {
    const auto ran = of.started ? std::chrono::duration_cast<std::chrono::seconds>(now - *of.started).count() : 0;
    return {of.unit, of.tenant, of.amount, of.priority, ran};
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
    if (!accounts_.set(std::move(all))) return;
    start_over();
    note_hunger();
}

bool board::forget_namespace(std::string_view name) {
    if (!accounts_.forget_namespace(name)) return false;
    start_over();
    note_hunger();
    return true;
}

// Everything is made anew with the next refresh().
void board::start_over() {
    states_.clear();
    largest_ = nullptr;
    slot_of_.clear();
    tried_ = {};
    accounts_.clear();
    for (auto& [uid, pod] : waiting_) {
        pod.tenant = tenant_of(pod.namespace_);
        count(pod, 1);
    }
    for (auto& [name, claim] : waiting_claims_) {
        claim.tenant = tenant_of(name.namespace_);
        accounts_.wait(claim.product, claim.tenant, claim.amount, 0);
    }
}

// Of a claim that pods wait with: what it takes, unless it has it.
void board::renew(const gpu_claims::claim_name& name, waiting_claim& of) {
    const auto claim = of.pods.empty() ? nullptr : claims_->find(name);
    const auto now = claim == nullptr || claims_->is_given(claim) ? 0 : claims_->least(*claim);
    const auto more = now - std::exchange(of.amount, now);
    if (more != 0) accounts_.wait(of.product, of.tenant, more, 0);
}

// What has changed of claims and slices since the last call. Whether anything has.
bool board::take_claims() {
    if (claims_ == nullptr) return false;
    has_new_slices_ |= std::exchange(slices_, claims_->edition()) != claims_->edition();
    auto changed = claims_->take_changed();
    if (has_new_slices_) {
        for (const auto& [name, node] : node_of_) changed.insert(name);
        for (const auto& [name, claim] : waiting_claims_) changed.insert(name);
        for (const auto& [uid, pod] : std::map(extended_)) set_waiting(*pod);
    }
    for (const auto& name : changed) {
        const auto claim = claims_->find(name);
        const auto now = claim == nullptr ? gpu_claims::holding() : claims_->held_by(claim);
        if (const auto before = node_of_.find(name); before != node_of_.end()) {
            touched_.insert(before->second);
            held_on_[before->second].erase(name);
            node_of_.erase(before);
        }
        if (!now.devices.empty()) {
            touched_.insert(now.node);
            held_on_[now.node].insert(name);
            node_of_.emplace(name, now.node);
        }
        if (const auto waits = waiting_claims_.find(name); waits != waiting_claims_.end()) renew(name, waits->second);
    }
    return !changed.empty();
}

bool board::is_touched(const node_state& of) const {
    if (!touched_.empty() && touched_.contains(of.node->metadata.name.view())) return true;
    return has_new_slices_ && (of.ledger.devices().source == device_source::claims ||
                               claims_->on(of.node->metadata.name.str()).has_value());
}

void board::set_waiting(const kcontrol::api::core::v1::pod& pod) {
    remove_waiting(pod.metadata.uid);
    const bool waits = pod.spec.node_name.empty() && pod.spec.scheduling_gates.empty() &&
                       !pod.metadata.deletion_timestamp && pod.status.phase == "Pending";
    if (!waits) return;
    auto claim = read_claim(pod);
    auto names = claims_ == nullptr ? gpu_claims::claim_names() : gpu_claims::names_of(pod);
    const bool has_claims = claims_ != nullptr && !pod.spec.resource_claims.empty();
    const auto kept = std::make_shared<const kcontrol::api::core::v1::pod>(pod);
    const pod_info info(kept);
    std::int64_t extended = 0;
    const bool may_be_extended = claims_ != nullptr && std::ranges::any_of(info.requests().extended(), [](auto& each) {
                                     return !is_requested_gpu(each.resource.view());
                                 });
    if (may_be_extended && claim.wrong.empty()) {
        extended_.emplace(pod.metadata.uid.str(), kept);
        extended = claims_->least_of_extended(pod);
    }
    if ((claim.request.empty() && !has_claims && extended == 0) || !claim.wrong.empty()) return;
    const auto amount = amount_of(claim.request) + extended;
    waiting_pod made{pod.metadata.namespace_.str(),
                     tenant_of(pod.metadata.namespace_),
                     std::move(claim.product),
                     std::move(claim.request),
                     amount,
                     extended,
                     info.requests().cpu_milli,
                     std::move(names)};
    for (const auto& name : made.claims) {
        auto& to = waiting_claims_[name];
        if (to.pods.empty()) {
            to.tenant = made.tenant;
            to.product = made.product;
        }
        to.pods.insert(pod.metadata.uid.str());
        renew(name, to);
        if (const auto held = node_of_.find(name); held != node_of_.end()) touched_.insert(held->second);
    }
    if (!slot_of_.contains(pod.metadata.uid.str())) count(made, 1);
    waiting_.insert_or_assign(pod.metadata.uid.str(), std::move(made));
    ++waiting_version_;
    note_hunger();
}

void board::remove_waiting(std::string_view uid) {
    extended_.erase(std::string(uid));
    const auto found = waiting_.find(std::string(uid));
    if (found == waiting_.end()) return;
    if (!slot_of_.contains(found->first)) count(found->second, -1);
    for (const auto& name : found->second.claims) {
        auto& from = waiting_claims_.at(name);
        from.pods.erase(found->first);
        if (from.pods.empty()) {
            renew(name, from);
            waiting_claims_.erase(name);
        }
        if (const auto held = node_of_.find(name); held != node_of_.end()) touched_.insert(held->second);
    }
    waiting_.erase(found);
    ++waiting_version_;
}

void board::count(const waiting_pod& of, int times) { accounts_.wait(of.product, of.tenant, times * of.amount, times); }

void board::count(const node_state& of, int times) {
    accounts_.add_capacity(of.product(), times * of.capacity());
    for (const auto& each : of.holdings) {
        accounts_.hold(of.product(), each.tenant, times * each.amount);
        const auto waits = waiting_.find(each.uid);
        if (waits != waiting_.end()) count(waits->second, -times);  // until the API server shows its node
    }
}

void board::refresh(const kcontrol::scheduling::snapshot& nodes) {
    bool any = take_claims();
    any |= states_.size() != nodes.slots();
    if (states_.size() > nodes.slots()) start_over();
    states_.resize(nodes.slots());
    for (std::size_t slot = 0; slot < states_.size(); ++slot) {
        const auto* node = nodes.at(slot);
        auto& state = states_[slot];
        const bool is_same = state != nullptr && node != nullptr && state->version == node->version();
        if ((node == nullptr && state == nullptr) || (is_same && !is_touched(*state))) continue;
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
        for (const auto& each : state->holdings) {
            if (!each.uid.empty()) slot_of_.insert_or_assign(each.uid, slot);
        }
    }
    touched_.clear();
    has_new_slices_ = false;
    if (!any) return;
    renew_amounts();
    note_hunger();
    renew_placer();
}

const node_state* board::find(std::string_view name) const {
    const auto found = std::ranges::find_if(
        states_, [name](const auto& each) { return each != nullptr && each->node->metadata.name == name; });
    return found == states_.end() ? nullptr : found->get();
}

double board::unusable(const node_state& on) {
    if (on.ledger.devices().source == device_source::claims) return 0;
    return placer_->usual_on(on.product()).of(room_of(on.ledger, 1'000'000'000));
}

// A share or slice that waits is a part of the largest GPU, which may not have been there when the pod came.
void board::renew_amounts() {
    largest_ = nullptr;
    for (const auto& each : states_) {
        if (each == nullptr || each->ledger.devices().source == device_source::claims) continue;
        if (largest_ == nullptr || gpu_memory(*each) > gpu_memory(*largest_)) largest_ = each.get();
    }
    std::pair<std::int64_t, std::string> now;
    if (largest_ != nullptr) now = {gpu_memory(*largest_), largest_->product()};
    if (now == largest_gpu_) return;
    largest_gpu_ = std::move(now);
    for (auto& [uid, pod] : waiting_) {
        const bool is_counted = !slot_of_.contains(uid);
        if (is_counted) count(pod, -1);
        pod.amount = amount_of(pod.request) + pod.extended;
        if (is_counted) count(pod, 1);
    }
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
        tried_.slices = states_[node.slot()]->slices;
    }
    make(tried_, node);
    return tried_;
}

void board::make(node_state& out, const node_info& node) {
    const auto slices = claims_ == nullptr ? 0 : claims_->edition();
    if (out.node != node.shared_node() || out.node == nullptr || out.slices != slices) {
        out.node = node.shared_node();
        out.slices = slices;
        auto devices = read_devices(*out.node, settings_.costs);
        if (auto sliced = claims_ == nullptr ? std::nullopt : claims_->on(out.node->metadata.name.str())) {
            const auto* product = out.node->metadata.labels.get(product_label);
            if (product != nullptr) sliced->product = product->str();
            devices = std::move(*sliced);
        }
        out.wrong = devices ? "" : devices.error().message();
        out.without_pods = node_ledger(devices ? std::move(*devices) : node_devices());
    }
    out.version = node.version();
    out.edition = ++editions_;
    out.ledger = out.without_pods;
    out.holdings.clear();
    out.answers.clear();
    // Those with a record first: the others get what is left, whatever the order.
    std::vector<const pod_info*> pods = node.pods();
    std::ranges::sort(pods, {}, [](const pod_info* each) {
        return std::tuple(!each->pod().metadata.annotations.contains(record_annotation), each->uid());
    });
    gpu_claims::claim_names counted;
    for (const auto* each : pods) hold(out, *each, counted);
    if (claims_ != nullptr) hold_others(out, counted);
}

// The GPUs of a pod's claims. What several pods share counts once.
void board::add_claims(node_state& on, const pod_info& pod, gpu_claims::claim_names& counted, gpu_holding& to) {
    for (const auto& name : claims_->all_names_of(pod.pod())) {
        const auto claim = claims_->find(name);
        if (claim == nullptr) continue;
        auto held = claims_->held_by(claim);
        if (held.node != on.node->metadata.name) continue;
        to.devices.insert(to.devices.end(), held.devices.begin(), held.devices.end());
        if (!counted.insert(name).second) continue;
        to.amount += held.amount;
        for (const auto& each : held.devices) static_cast<void>(on.ledger.add(each));
    }
}

// Claims with GPUs there of which no pod is there. They count for who waits with one; one whose pods are no more is
// about to lose its GPUs, which are not free until then.
void board::hold_others(node_state& on, gpu_claims::claim_names& counted) {
    const auto here = held_on_.find(on.node->metadata.name.view());
    if (here == held_on_.end()) return;
    for (const auto& name : here->second) {
        const auto claim = counted.contains(name) ? nullptr : claims_->find(name);
        if (claim == nullptr) continue;
        auto held = claims_->held_by(claim);
        for (const auto& each : held.devices) static_cast<void>(on.ledger.add(each));
        const auto& users = claim->status.reserved_for;
        const auto user = std::ranges::find_if(
            users, [&](const auto& each) { return each.resource != "pods" || waiting_.contains(each.uid.str()); });
        if (user == users.end()) continue;
        gpu_holding made;
        made.pod = name.namespace_ + "/" + user->name.str();
        made.tenant = tenant_of(name.namespace_);
        made.amount = held.amount;
        made.devices = std::move(held.devices);
        on.holdings.push_back(std::move(made));
    }
}

void board::hold(node_state& on, const pod_info& pod, gpu_claims::claim_names& counted) {
    const auto claim = read_claim(pod.pod());
    const auto* said = pod.pod().metadata.annotations.get(record_annotation);
    static const kcontrol::scheduling::interned_name resource(gpu_resource);
    const bool has_extended =
        claims_ != nullptr && !pod.requests().extended().empty() && claims_->has_extended(pod.pod());
    const bool has_claims = claims_ != nullptr && (has_extended || claims_->may_take(pod));
    if (!claim.has_gpus() && !has_claims) return;
    // What it requests is devices of a claim that is made for it.
    const bool is_by_claim = has_claims && on.ledger.devices().source == device_source::claims &&
                             !claim.request.empty() &&
                             (has_extended || claims_->takes_place_of(claim.request, pod.pod(), *on.node));
    gpu_holding made;
    if (said != nullptr) {
        auto record = read_record(*said);
        if (record && matches(claim.request, *record)) made.devices = std::move(*record);
    }
    const bool is_bound = !pod.pod().spec.node_name.empty();
    const auto* theirs = pod.pod().metadata.annotations.get(allocated_annotation);
    if (said == nullptr && is_bound && theirs != nullptr) {
        if (auto given = read_hami_devices(*theirs)) made.devices = std::move(*given);
    }
    const bool is_nominated = said == nullptr && !is_bound;
    if (made.devices.empty() && is_nominated && !claim.request.empty() && !(is_by_claim && has_extended)) {
        if (auto place = allocate(on.ledger, claim.request, {0, 0}, *placer_)) made.devices = std::move(place->devices);
    }
    const auto own_names = on.node->metadata.name.str() + "/";  // of GPUs that nobody names
    const bool has_own = on.ledger.devices().source == device_source::allocatable;
    for (const auto& each : made.devices) {
        static_cast<void>(on.ledger.add(each));
        // Another source names the node's GPUs than when this was given.
        if (each.uuid.starts_with(own_names) != has_own) on.ledger.add_unknown(1);
    }
    if (made.devices.empty() && !is_by_claim)
        on.ledger.add_unknown(static_cast<int>(pod.requests().extended(resource)));
    made.pod = name_of(pod);
    made.uid = pod.uid();
    made.tenant = tenant_of(pod.namespace_());
    made.unit = claim.gang.empty() ? made.uid : claim.gang;
    made.amount = gpu_scheduler::amount_of(claim.request, on.ledger);
    made.priority = pod.priority();
    if (const auto& start = pod.pod().status.start_time) made.started = start.value();
    made.usual = usual_demand(claim.request, pod.requests().cpu_milli, made.amount);
    if (is_by_claim) made.amount = 0;
    // In a trial a pod is there whose claims have nothing yet.
    if (has_claims && is_nominated) made.amount += claims_->most_of(pod.pod(), *on.node);
    if (has_claims) add_claims(on, pod, counted, made);
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
        for (const auto& each : state->holdings) {
            if (each.usual.gpus > 0) ++usual[{each.usual, ""}];
        }
        state->answers.clear();
    }
    for (const auto& [uid, each] : waiting_) {
        if (!each.request.empty()) ++usual[{usual_demand(each.request, each.cpu_milli, each.amount), each.product}];
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
    static const node_ledger none{node_devices()};
    return gpu_scheduler::amount_of(request, largest_ == nullptr ? none : largest_->ledger);
}

std::int64_t board::amount_of(const kcontrol::api::core::v1::pod& pod) {
    if (claims_ == nullptr) return amount_of(read_claim(pod).request);
    return (claims_->has_extended(pod) ? 0 : amount_of(read_claim(pod).request)) + claims_->least_of(pod);
}

std::int64_t board::held_by(std::string_view uid) const {
    const auto slot = slot_of_.find(std::string(uid));
    if (slot == slot_of_.end()) return 0;
    return std::ranges::find(states_[slot->second]->holdings, uid, &gpu_holding::uid)->amount;
}

void board::note_hunger() {
    if (accounts_.has_other_hunger(settings_.hunger)) ++hunger_version_;
}

// The book of a product, with the pods that run on it.
tenant_accounts::tenant_product& board::running_book(const std::string& product, kcontrol::wall_time now) {
    const bool is_all = product.empty() || !products().contains(product);
    auto& out = accounts_.book(is_all ? "" : product);
    if (std::exchange(out.has_running, true)) return out;
    std::map<std::string, tenant_pod> units;
    for (const auto& state : states_) {
        if (state == nullptr || (!is_all && state->product() != product)) continue;
        for (const auto& each : state->holdings) {
            if (each.uid.empty()) continue;
            auto next = pod_of(each, now);
            const auto [found, is_new] = units.try_emplace(each.unit, next);
            if (is_new) continue;
            found->second.amount += next.amount;
            found->second.priority = std::max(found->second.priority, next.priority);
            found->second.running_seconds = std::max(found->second.running_seconds, next.running_seconds);
        }
    }
    std::vector<tenant_pod> running;
    for (auto& [name, each] : units) {
        if (each.amount > 0) running.push_back(std::move(each));
    }
    out.all.set_running(std::move(running));
    return out;
}

bool board::may_evict(const pod_info& preemptor, const pod_info& victim) {
    if (preemptor.pod().spec.preemption_policy == "Never") return false;
    const auto slot = slot_of_.find(std::string(victim.uid()));
    const auto& tenant = tenant_of(preemptor.namespace_());
    const bool is_more = victim.priority() < preemptor.priority();
    if (!has_tenants() || slot == slot_of_.end() || tenant == tenant_of(victim.namespace_())) return is_more;
    const auto claim = read_claim(preemptor.pod());
    const auto& on = *states_[slot->second];
    const bool is_by_claim = claims_ != nullptr && claims_->takes_place_of(claim.request, preemptor.pod(), *on.node);
    auto amount = is_by_claim ? 0 : gpu_scheduler::amount_of(claim.request, on.ledger);
    if (claims_ != nullptr) amount += claims_->most_of(preemptor.pod(), *on.node);
    if (amount == 0) return false;
    const auto now = now_();
    const auto& known = running_book(on.product(), now);
    const auto held = std::ranges::find(on.holdings, victim.uid(), &gpu_holding::uid);
    return held != on.holdings.end() && known.all.may_take(tenant, amount, preemptor.priority(), pod_of(*held, now));
}

std::string_view board::reason_to_evict(const pod_info& preemptor, const pod_info& victim) {
    const auto& tenant = tenant_of(preemptor.namespace_());
    const auto* account = book("").find(tenant);
    if (!has_tenants() || account == nullptr || tenant == tenant_of(victim.namespace_())) return "priority";
    const bool is_counted = slot_of_.contains(std::string(preemptor.uid()));  // its place is kept already
    const auto more = is_counted ? 0 : amount_of(preemptor.pod());
    return account->allocated + more <= account->claim.quota * milli_per_gpu ? "quota" : "fair-share";
}

board::runtime_ends board::runtimes_between(kcontrol::wall_time since, kcontrol::wall_time now) {
    runtime_ends out;
    std::map<std::string_view, std::chrono::seconds> times;
    for (const auto& each : tenants()) {
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

#include "control/audit.hpp"

#include <algorithm>

namespace gpu_scheduler {

namespace core = kcontrol::api::core::v1;

std::set<std::string> overcommit_check::beyond(const node_sums& of, const node_ledger* on) {
    struct sum {
        std::int64_t memory = 0;
        int cores = 0, wholes = 0, parts = 0;
        slot_mask slots = 0;
        bool is_twice = false;
    };
    std::map<std::string, sum> sums;
    const auto place_of = [on](const std::string& uuid) {
        const auto& gpus = on->devices().gpus;
        return static_cast<std::size_t>(std::ranges::find(gpus, uuid, &gpu::uuid) - gpus.begin());
    };
    for (const auto& [holder, devices] : of.holders) {
        for (const auto& each : devices) {
            auto& to = sums[each.uuid];
            to.memory += each.memory_mib;
            to.cores += each.cores;
            (each.is_whole() ? to.wholes : to.parts) += 1;
            if (!each.is_slice() || on == nullptr || place_of(each.uuid) == on->devices().gpus.size()) continue;
            const auto* profile = find_profile(on->profiles(place_of(each.uuid)), each.profile);
            const auto slots = profile == nullptr ? 0 : profile->at(each.start);
            to.is_twice |= (to.slots & slots) != 0;
            to.slots |= slots;
        }
    }
    std::set<std::string> out;
    for (const auto& [uuid, each] : sums) {
        bool is_beyond = each.is_twice || each.wholes > 1 || (each.wholes == 1 && each.parts > 0);
        if (on != nullptr && place_of(uuid) < on->devices().gpus.size()) {
            const auto& gpu = on->devices().gpus[place_of(uuid)];
            is_beyond |= each.cores > gpu.cores || (gpu.memory_mib > 0 && each.memory > gpu.memory_mib);
        }
        if (is_beyond) out.insert(uuid);
    }
    return out;
}

void overcommit_check::set(const core::pod& pod, bool is_deleted, const node_ledger* on) {
    const bool has_ended = pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
    const auto* said = pod.metadata.annotations.get(record_annotation);
    std::vector<device_hold> devices;
    if (!is_deleted && !has_ended && said != nullptr && !pod.spec.node_name.empty()) {
        if (auto record = read_record(*said)) devices = std::move(*record);
    }
    put(pod.metadata.uid.str(), pod.spec.node_name.str(), std::move(devices), on);
}

void overcommit_check::set(const kcontrol::namespaced_name& name,
                           const kcontrol::api::resource::v1::resource_claim* claim, const std::string& node,
                           std::vector<device_hold> gpus, const node_ledger* on) {
    std::vector<kcontrol::scheduling::device_id> now;
    if (claim != nullptr && claim->status.allocation) {
        for (const auto& each : claim->status.allocation->devices.results) {
            // Those with a share id are given several times.
            if (each.admin_access.value_or(false) || !each.share_id.empty()) continue;
            now.push_back({each.driver.str(), each.pool.str(), each.device.str()});
        }
    }
    auto& known = claims_[name];
    for (const auto& each : known) --given_[each];
    for (const auto& each : now) {
        if (++given_[each] > 1 && std::ranges::count(known, each) == 0) ++total_;
    }
    for (const auto& each : known) {
        if (given_[each] <= 0) given_.erase(each);
    }
    known = std::move(now);
    if (known.empty()) claims_.erase(name);
    if (claim == nullptr || !claim->status.allocation) gpus.clear();
    put("claim " + to_string(name), node, std::move(gpus), on);
}

void overcommit_check::put(const std::string& holder, const std::string& on_node, std::vector<device_hold> devices,
                           const node_ledger* on) {
    auto known = node_of_.find(holder);
    if (known != node_of_.end() && !devices.empty() && known->second != on_node) {  // a claim that got others
        put(holder, on_node, {}, nullptr);
        known = node_of_.end();
    }
    if (known == node_of_.end() && devices.empty()) return;
    const auto name = known == node_of_.end() ? on_node : known->second;
    auto& node = nodes_[name];
    if (devices.empty()) {
        node.holders.erase(holder);
        node_of_.erase(known);
        if (node.holders.empty()) return static_cast<void>(nodes_.erase(name));
    } else {
        if (known != node_of_.end() && node.holders.at(holder) == devices) return;
        node.holders.insert_or_assign(holder, std::move(devices));
        node_of_.insert_or_assign(holder, name);
    }
    auto now = beyond(node, on);
    total_ += static_cast<std::uint64_t>(
        std::ranges::count_if(now, [&node](const std::string& uuid) { return !node.beyond.contains(uuid); }));
    node.beyond = std::move(now);
}

std::optional<kcontrol::wall_time::duration> gang_waits::set(const core::pod& pod, bool is_deleted,
                                                             kcontrol::wall_time now) {
    const auto claim = kcontrol::scheduling::gang_claim_of(pod);
    if (!claim) return {};
    const bool waits =
        !is_deleted && pod.spec.node_name.empty() && pod.status.phase == "Pending" && !pod.metadata.deletion_timestamp;
    const auto found = gangs_.find(claim->gang);
    const auto created = pod.metadata.creation_timestamp.value();
    if (waits) {
        auto& to = gangs_[claim->gang];
        to.since = to.pods.empty() ? created : std::min(to.since, created);
        to.pods.insert(pod.metadata.uid.str());
        return {};
    }
    if (found == gangs_.end() || found->second.pods.erase(pod.metadata.uid.str()) == 0) return {};
    if (!found->second.pods.empty()) return {};
    const auto since = found->second.since;
    gangs_.erase(found);
    if (pod.spec.node_name.empty()) return {};
    return now - since;
}

}  // namespace gpu_scheduler

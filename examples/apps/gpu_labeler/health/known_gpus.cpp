#include "health/known_gpus.hpp"

#include "health/derive_health.hpp"

namespace gpu_labeler {
namespace {

gpu_sample names_of(const gpu_sample& gpu) {
    gpu_sample names;
    names.index = gpu.index;
    names.uuid = gpu.uuid;
    names.name = gpu.name;
    names.bus_id = gpu.bus_id;
    names.minor = gpu.minor;
    return names;
}

}  // namespace

void known_gpus::complete(node_sample& sample) {
    const bool asked = sample.state == reader_state::ok || sample.state == reader_state::no_device;
    const bool for_now = sample.state == reader_state::hanging || sample.state == reader_state::failing;
    if (for_now) {
        sample.gpus.clear();
        for (const auto& [index, names] : last_) {
            sample.gpus.push_back(names);
            sample.gpus.back().health = gpu_health::failed;
            sample.gpus.back().reason = sample.message;
        }
    }
    std::map<unsigned, gpu_sample> now;
    for (auto& gpu : sample.gpus) {
        const auto before = last_.find(gpu.index);
        const bool lost_before = before != last_.end() && before->second.health == gpu_health::failed;
        if (gpu.uuid.empty() && before != last_.end()) {
            gpu.uuid = before->second.uuid;
            gpu.name = before->second.name;
            gpu.bus_id = before->second.bus_id;
            gpu.minor = before->second.minor;
        }
        // One that was lost and answers again was reset: what it reported before is over.
        const bool lost = gpu.health == gpu_health::failed;
        if (asked && lost_before && !lost) xids_.erase(gpu.uuid);
        if (const auto xid = xids_.find(gpu.uuid); xid != xids_.end()) gpu.xid = xid->second;
        auto& names = now[gpu.index] = names_of(gpu);
        if (asked && lost) names.health = gpu_health::failed;
        const auto verdict = derive_health(gpu);
        gpu.health = verdict.health;
        gpu.reason = verdict.reason;
    }
    if (asked) last_ = std::move(now);
}

void known_gpus::note_xid(std::string_view uuid, std::uint64_t xid, kcontrol::wall_time when) {
    auto& report = xids_[std::string(uuid)];
    report.last = xid;
    report.when = when;
    ++report.counts[xid];
}

}  // namespace gpu_labeler

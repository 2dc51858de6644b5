#include "devices/ledger.hpp"

#include <algorithm>
#include <utility>

namespace gpu_scheduler {

node_ledger::node_ledger(node_devices devices)
    : devices_(std::make_shared<const node_devices>(std::move(devices))),
      uses_(devices_->gpus.size()),
      slices_(devices_->gpus.size()) {
    std::vector<std::vector<mig_profile>> profiles;
    for (const auto& each : devices_->gpus) {
        const bool has_slices = devices_->source == device_source::topology && each.is_divided && each.memory_mib > 0;
        profiles.push_back(has_slices ? mig_profiles(devices_->product, each.memory_mib) : std::vector<mig_profile>());
    }
    profiles_ = std::make_shared<const std::vector<std::vector<mig_profile>>>(std::move(profiles));
}

std::size_t node_ledger::place_of(std::string_view uuid) const {
    return static_cast<std::size_t>(std::ranges::find(devices_->gpus, uuid, &gpu::uuid) - devices_->gpus.begin());
}

bool node_ledger::is_untouched(std::size_t gpu) const {
    return devices_->gpus[gpu].is_healthy && !devices_->gpus[gpu].is_divided && uses_[gpu].is_free();
}

bool node_ledger::has_spare_gpus() const {
    int untouched = 0;
    for (std::size_t i = 0; i < uses_.size(); ++i) untouched += is_untouched(i) ? 1 : 0;
    return untouched > unknown_;
}

bool node_ledger::is_free(std::size_t gpu) const { return is_untouched(gpu) && has_spare_gpus(); }

const mig_profile* node_ledger::profile_of(std::size_t gpu, const device_hold& hold) const {
    const auto* found = find_profile((*profiles_)[gpu], hold.profile);
    return found != nullptr && std::ranges::count(found->starts, hold.start) > 0 ? found : nullptr;
}

result<void> node_ledger::check(const device_hold& hold) const {
    const auto place = place_of(hold.uuid);
    const auto wrong = [&](const std::string& why) { return bad_value("uuid " + in_quotes(hold.uuid) + ": " + why); };
    if (place == devices_->gpus.size()) return wrong("the node has no such GPU");
    const auto& device = devices_->gpus[place];
    const auto& use = uses_[place];
    if (!device.is_healthy) return wrong("the GPU is not healthy");
    if (hold.is_slice()) {
        if ((*profiles_)[place].empty()) return wrong("the GPU has no slices");
        const auto* profile = profile_of(place, hold);
        if (profile == nullptr) {
            return wrong("mig " + in_quotes(hold.profile) + " can't start at " + std::to_string(hold.start));
        }
        if (use.wholes > 0 || (use.slots & profile->at(hold.start)) != 0) {
            return wrong("mig " + in_quotes(hold.profile) + ": the place at " + std::to_string(hold.start) +
                         " is held");
        }
        if (profile->has_media_engines && use.media_engines > 0) return wrong("its media engines are held");
        return {};
    }
    if (device.is_divided) return wrong("the GPU is divided by MIG");
    if (hold.is_whole()) {
        if (!use.is_free()) return wrong("the GPU is held");
        if (!has_spare_gpus()) return wrong("the free GPUs are held by pods without a record");
        return {};
    }
    if (devices_->source != device_source::hami) return wrong("the node takes no shares");
    if (use.wholes > 0) return wrong("the GPU is held");
    if (use.is_free() && !has_spare_gpus()) return wrong("the free GPUs are held by pods without a record");
    if (use.memory_mib + hold.memory_mib > device.memory_mib) {
        return wrong("memoryMiB " + std::to_string(hold.memory_mib) + " is more than the " +
                     std::to_string(std::max<std::int64_t>(0, device.memory_mib - use.memory_mib)) + " that are free");
    }
    if (use.cores + hold.cores > device.cores) {
        return wrong("cores " + std::to_string(hold.cores) + " are more than the " +
                     std::to_string(std::max(0, device.cores - use.cores)) + " that are free");
    }
    if (use.shares >= device.most_shares) return wrong("it has " + std::to_string(use.shares) + " shares, the most");
    return {};
}

result<void> node_ledger::add(const device_hold& hold) {
    auto answer = check(hold);
    const auto place = place_of(hold.uuid);
    if (place < uses_.size()) change(place, hold, 1);
    return answer;
}

void node_ledger::remove(const device_hold& hold) {
    const auto place = place_of(hold.uuid);
    if (place < uses_.size()) change(place, hold, -1);
}

void node_ledger::change(std::size_t gpu, const device_hold& hold, int times) {
    auto& use = uses_[gpu];
    if (hold.is_whole()) {
        use.wholes += times;
    } else if (hold.is_share()) {
        use.memory_mib += times * hold.memory_mib;
        use.cores += times * hold.cores;
        use.shares += times;
    } else if (profile_of(gpu, hold) != nullptr) {
        auto& held = slices_[gpu];
        if (times > 0) {
            held.push_back(hold);
        } else if (const auto found = std::ranges::find(held, hold); found != held.end()) {
            held.erase(found);
        }
        use.slots = 0;
        use.media_engines = 0;
        for (const auto& each : held) {
            const auto* profile = profile_of(gpu, each);
            use.slots |= profile->at(each.start);
            use.media_engines += profile->has_media_engines ? 1 : 0;
        }
    }
}

}  // namespace gpu_scheduler

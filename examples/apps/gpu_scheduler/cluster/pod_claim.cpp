#include "cluster/pod_claim.hpp"

#include <kcontrol/scheduling/gang_claim.hpp>

#include "devices/node_sources.hpp"
#include "placement/room.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace gpu_scheduler {
namespace {

void read_topology_wish(std::string_view value, pod_claim& to) {
    for (const std::string_view word : {"required:", "preferred:"}) {
        if (!value.starts_with(word) || value.size() == word.size()) continue;
        to.is_required = word == "required:";
        to.topology_key = value.substr(word.size());
        return;
    }
    to.wrong = "annotation " + std::string(topology_wish_annotation) + ": " + in_quotes(value) +
               " is neither \"required:KEY\" nor \"preferred:KEY\"";
}

// The first GPU that has the profile, or none.
const mig_profile* profile_on(const node_ledger& node, std::string_view name, unsigned* slots) {
    for (std::size_t i = 0; i < node.devices().gpus.size(); ++i) {
        if (const auto* found = find_profile(node.profiles(i), name)) {
            *slots = node.profiles(i).front().slots;
            return found;
        }
    }
    return nullptr;
}

}  // namespace

pod_claim read_claim(const kcontrol::api::core::v1::pod& pod) {
    pod_claim out;
    auto request = read_request(pod);
    if (!request) {
        out.wrong = request.error().message();
        return out;
    }
    out.request = std::move(*request);
    if (out.request.empty() && pod.spec.resource_claims.empty()) return out;
    if (const auto* product = pod.spec.node_selector.get(product_label)) out.product = product->str();
    if (const auto gang = kcontrol::scheduling::gang_claim_of(pod)) {
        out.gang = gang->gang.namespace_ + "/" + gang->gang.name;
    }
    if (out.request.empty()) return out;
    if (const auto* wish = pod.metadata.annotations.get(topology_wish_annotation)) read_topology_wish(*wish, out);
    return out;
}

bool matches(const gpu_request& request, const std::vector<device_hold>& record) {
    std::size_t next = 0;
    for (const auto& each : request.containers) {
        for (int i = 0; i < each.gpus; ++i, ++next) {
            if (next >= record.size() || record[next].is_share() != each.is_share || record[next].is_slice())
                return false;
        }
        for (const auto& profile : each.slices) {
            if (next >= record.size() || record[next++].profile != profile) return false;
        }
    }
    return next == record.size();
}

std::int64_t amount_of(const gpu_request& request, const node_ledger& on) {
    std::int64_t out = 0;
    const auto& gpus = on.devices().gpus;
    for (const auto& each : request.containers) {
        std::int64_t one = whole_gpu;
        if (each.is_share && each.memory_percent > 0) one = std::int64_t{each.memory_percent} * whole_gpu / 100;
        if (each.is_share && each.memory_percent == 0 && !gpus.empty() && gpus.front().memory_mib > 0) {
            one = std::min<std::int64_t>(whole_gpu, each.memory_mib * whole_gpu / gpus.front().memory_mib);
        }
        out += each.gpus * one;
        for (const auto& name : each.slices) {
            unsigned slots = 1;
            const auto* profile = profile_on(on, name, &slots);
            out += profile == nullptr ? whole_gpu : std::int64_t{profile->slots} * whole_gpu / slots;
        }
    }
    return out;
}

std::int64_t most_pods(const gpu_request& request, const node_ledger& on) {
    std::int64_t wholes = 0, shares = 0, out = std::numeric_limits<std::int32_t>::max();
    std::map<std::string_view, std::int64_t> slices;
    const container_request* share = nullptr;
    for (const auto& each : request.containers) {
        (each.is_share ? shares : wholes) += each.gpus;
        if (each.is_share) share = &each;
        for (const auto& name : each.slices) ++slices[name];
    }
    const auto& gpus = on.devices().gpus;
    std::int64_t free = 0, share_places = 0;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        if (on.is_free(i)) ++free;
        if (share == nullptr || !gpus[i].is_healthy || on.use(i).wholes > 0) continue;
        const auto memory =
            share->memory_percent > 0 ? gpus[i].memory_mib * share->memory_percent / 100 : share->memory_mib;
        if (memory > 0) share_places += std::max<std::int64_t>(0, gpus[i].memory_mib - on.use(i).memory_mib) / memory;
    }
    if (wholes > 0) out = std::min(out, std::max<std::int64_t>(0, free - on.unknown()) / wholes);
    if (shares > 0) out = std::min(out, share_places / shares);
    for (const auto& [name, count] : slices) {
        std::int64_t places = 0;
        for (std::size_t i = 0; i < gpus.size(); ++i) {
            const auto* profile = find_profile(on.profiles(i), name);
            if (profile != nullptr && gpus[i].is_healthy) places += most_slices(*profile, on.use(i).slots);
        }
        out = std::min(out, places / count);
    }
    return out;
}

}  // namespace gpu_scheduler

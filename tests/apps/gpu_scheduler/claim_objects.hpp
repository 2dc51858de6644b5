// ResourceSlices as NVIDIA's DRA driver publishes them, and ResourceClaims.
#pragma once

#include <kcontrol/documents/value.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpu_scheduler::test {

using kcontrol::json::array;
using kcontrol::json::value;

/// A device of a slice: a GPU, or a part of one.
struct slice_device {
    std::string name, uuid;  ///< of a part: the UUID of its GPU
    int memory_gib = 40;
    bool is_part = false;
    std::string counters = {};  ///< the counter set of its GPU, which has 8 memory slices; empty: it has none
    int slices = 8;             ///< that it takes of them
    std::string profile = {};   ///< "1g.5gb"; empty: it names none
    int first_slice = 0;
};

inline value slice_json(const std::string& node, const std::vector<slice_device>& all) {
    array devices, counters;
    std::vector<std::string> sets;
    for (const auto& each : all) {
        value made{{"name", each.name},
                   {"attributes",
                    {{"type", {{"string", each.is_part ? "mig" : "gpu"}}},
                     {each.is_part ? "parentUUID" : "uuid", {{"string", each.uuid}}},
                     {"productName", {{"string", "NVIDIA A100-SXM4-40GB"}}}}},
                   {"capacity", {{"memory", {{"value", std::to_string(each.memory_gib) + "Gi"}}}}}};
        if (!each.profile.empty()) made.at("attributes").as_object()["profile"] = {{"string", each.profile}};
        value amounts(kcontrol::json::object{});
        value whole(kcontrol::json::object{});
        for (int i = 0; i < 8; ++i) {
            const auto name = "memory-slice-" + std::to_string(i);
            whole.as_object()[name] = {{"value", "1"}};
            if (i >= each.first_slice && i < each.first_slice + each.slices)
                amounts.as_object()[name] = {{"value", "1"}};
        }
        if (!each.counters.empty()) {
            made.as_object()["consumesCounters"] =
                array{value{{"counterSet", each.counters}, {"counters", std::move(amounts)}}};
            bool is_new = true;
            for (const auto& known : sets) is_new = is_new && known != each.counters;
            if (is_new) counters.push_back(value{{"name", each.counters}, {"counters", std::move(whole)}});
            sets.push_back(each.counters);
        }
        devices.push_back(std::move(made));
    }
    value out{{"apiVersion", "resource.k8s.io/v1"},
              {"kind", "ResourceSlice"},
              {"metadata", {{"name", node}}},
              {"spec",
               {{"driver", "gpu.nvidia.com"},
                {"nodeName", node},
                {"pool", {{"name", node}, {"generation", 1}, {"resourceSliceCount", 1}}},
                {"devices", std::move(devices)}}}};
    if (!counters.empty()) out.at("spec").as_object()["sharedCounters"] = std::move(counters);
    return out;
}

/// So many whole GPUs, "GPU-NODE-0" and so on.
inline std::vector<slice_device> whole_gpus(const std::string& node, int count) {
    std::vector<slice_device> out;
    for (int i = 0; i < count; ++i) {
        out.push_back({"gpu-" + std::to_string(i), "GPU-" + node + "-" + std::to_string(i), 40, false, "", 8});
    }
    return out;
}

/// What a claim is given on a node.
inline value allocation_json(const std::string& node, const std::vector<std::string>& devices) {
    array results;
    for (const auto& each : devices) {
        results.push_back(value{{"request", "r"}, {"driver", "gpu.nvidia.com"}, {"pool", node}, {"device", each}});
    }
    const value field{{"key", "metadata.name"}, {"operator", "In"}, {"values", array{value(node)}}};
    const value term{{"matchFields", array{field}}};
    return {{"devices", {{"results", std::move(results)}}}, {"nodeSelector", {{"nodeSelectorTerms", array{term}}}}};
}

/// "gpu.nvidia.com" and "mig.nvidia.com". `resource`: the extended resource that it stands for; empty: none.
inline value class_json(const std::string& type, const std::string& resource = {}) {
    const auto cel =
        R"(device.driver == "gpu.nvidia.com" && device.attributes["gpu.nvidia.com"].type == ")" + type + "\"";
    value out{{"apiVersion", "resource.k8s.io/v1"},
              {"kind", "DeviceClass"},
              {"metadata", {{"name", type + ".nvidia.com"}}},
              {"spec", {{"selectors", array{value{{"cel", {{"expression", cel}}}}}}}}};
    if (!resource.empty()) out.at("spec").as_object()["extendedResourceName"] = resource;
    return out;
}

inline value request_json(const std::string& of_class, int count) {
    value out{{"deviceClassName", of_class + ".nvidia.com"}};
    out.as_object()["allocationMode"] = count == 0 ? "All" : "ExactCount";
    if (count > 0) out.as_object()["count"] = count;
    return out;
}

/// `count` 0: all of a node.
inline value claim_json(const std::string& ns, const std::string& name, const std::string& of_class, int count) {
    return {{"apiVersion", "resource.k8s.io/v1"},
            {"kind", "ResourceClaim"},
            {"metadata", {{"name", name}, {"namespace", ns}}},
            {"spec",
             {{"devices", {{"requests", array{value{{"name", "r"}, {"exactly", request_json(of_class, count)}}}}}}}}};
}

}  // namespace gpu_scheduler::test

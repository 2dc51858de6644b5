// Adds up what claims and pods hold of devices, from what the API shows, and by nothing of the scheduler's own.
#pragma once

#include <kcontrol/documents/value.hpp>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::test {

/// Of pools with the devices gpu-0, and gpu-1 or its two halves. A pod that requests example.com/gpu has a claim made
/// for it, and no pod has two.
class claim_checker {
public:
    std::string broken;  ///< the first thing that is wrong; empty: nothing

    /// The uid of the pod for whose extended resources the claim was made; empty: for none.
    static std::string pod_of_extended(const json::value& claim) {
        const auto annotation =
            json::get_string(claim, {"metadata", "annotations", "resource.kubernetes.io/extended-resource-claim"});
        const auto* owners = json::find(claim, {"metadata", "ownerReferences"});
        if (annotation != "true" || owners == nullptr) return {};
        return std::string(json::get_string(owners->as_array().front(), {"uid"}));
    }

    /// A change of the API server.
    void changed(std::string_view resource, bool is_removed, const json::value& object) {
        const auto text = [&](std::initializer_list<std::string_view> path) {
            return std::string(json::get_string(object, path));
        };
        const auto name = text({"metadata", "name"});
        if (resource == "resourceclaims") {
            auto& of = claims_[name];
            of = {};
            if (const auto* results = json::find(object, {"status", "allocation", "devices", "results"})) {
                for (const auto& each : results->as_array()) {
                    of.devices.emplace_back(json::get_string(each, {"pool"}), json::get_string(each, {"device"}));
                }
            }
            if (const auto* users = json::find(object, {"status", "reservedFor"})) {
                for (const auto& each : users->as_array()) of.users.emplace(json::get_string(each, {"uid"}));
            }
            of.extended_for = pod_of_extended(object);
            if (is_removed) claims_.erase(name);
        } else if (resource == "pods") {
            const auto phase = text({"status", "phase"});
            const bool holds =
                !is_removed && !text({"spec", "nodeName"}).empty() && phase != "Succeeded" && phase != "Failed";
            pods_.erase(name);
            const auto* claims = json::find(object, {"spec", "resourceClaims"});
            const json::value* resources = nullptr;
            if (const auto* containers = json::find(object, {"spec", "containers"})) {
                resources = json::find(containers->as_array().front(), {"resources", "requests"});
            }
            const bool is_extended = resources != nullptr && resources->as_object().contains("example.com/gpu");
            if (!holds || (claims == nullptr && !is_extended)) return;
            auto& of = pods_[name];
            of = {text({"metadata", "uid"}), text({"spec", "nodeName"}), {}};
            if (is_extended) of.claims.push_back(text({"status", "extendedResourceClaimStatus", "resourceClaimName"}));
            for (const auto& each : claims == nullptr ? json::array() : claims->as_array()) {
                const std::string named(json::get_string(each, {"resourceClaimName"}));
                if (!named.empty()) of.claims.push_back(named);
            }
        } else {
            return;
        }
        if (broken.empty()) broken = find_broken();
    }

private:
    using device = std::pair<std::string, std::string>;  // pool and name
    struct claim_use {
        std::vector<device> devices;
        std::set<std::string> users;
        std::string extended_for;  // uid of a pod
    };
    struct pod_use {
        std::string uid, node;
        std::vector<std::string> claims;
    };

    std::string find_broken() const {
        std::set<device> given;
        std::map<std::string, int> memory;  // of gpu-1, by pool
        std::set<std::string> extended;
        for (const auto& [name, claim] : claims_) {
            if (!claim.extended_for.empty() && !extended.insert(claim.extended_for).second) {
                return "two claims were made for the pod of " + name;
            }
            for (const auto& each : claim.devices) {
                if (!given.insert(each).second) return each.first + "/" + each.second + " is given twice";
                memory[each.first] += each.second == "gpu-1" ? 2 : each.second == "gpu-0" ? 0 : 1;
                if (memory[each.first] > 2) return each.first + ": its counter is exceeded";
            }
        }
        for (const auto& [name, pod] : pods_) {
            for (const auto& each : pod.claims) {
                const auto found = claims_.find(each);
                if (found == claims_.end() || found->second.devices.empty()) return name + " runs without " + each;
                if (!found->second.users.contains(pod.uid)) return name + " has no reservation of " + each;
                for (const auto& one : found->second.devices) {
                    if (one.first != pod.node) return name + " is on another node than its device";
                }
            }
        }
        return {};
    }

    std::map<std::string, claim_use> claims_;
    std::map<std::string, pod_use> pods_;
};

}  // namespace kcontrol::test

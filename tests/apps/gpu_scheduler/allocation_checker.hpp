// Adds up by UUID what pods hold, from what the API shows of pods and nodes, and by nothing of the program's own.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/api/resource/v1.hpp>
#include <kcontrol/documents/value.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::test {

class allocation_checker {
public:
    using pods = std::map<std::string, std::shared_ptr<const api::core::v1::pod>>;
    using nodes = std::map<std::string, std::shared_ptr<const api::core::v1::node>>;

    using claims = std::map<std::string, std::shared_ptr<const api::resource::v1::resource_claim>>;

    /// A device of the pool that is named after its node: a part of a GPU with 8 parts, or all of them.
    void add_device(const std::string& pool, const std::string& name, const std::string& uuid, std::int64_t parts) {
        devices_[{pool, name}] = {uuid, parts};
    }

    /// What is given twice; empty: nothing. GPUs that nodes had before keep their size. What has not changed since the
    /// last call is not looked at again.
    std::string check(const pods& all, const nodes& of, const claims& by = {}) {
        if (of != nodes_) {
            nodes_ = of;
            for (const auto& [name, node] : of) learn(*node);
        } else if (all == pods_ && by == claims_) {
            return {};
        }
        pods_ = all;
        claims_ = by;
        std::map<std::string, use> uses;
        if (auto wrong = add_claims(uses); !wrong.empty()) return wrong;
        for (const auto& [name, pod] : all) {
            const auto phase = pod->status.phase.view();
            const auto* said = pod->metadata.annotations.get("scheduling.kcontrol.dev/allocation");
            if (pod->spec.node_name.empty() || phase == "Succeeded" || phase == "Failed" || said == nullptr) continue;
            auto& known = records_[name];
            if (known.pod != pod) {
                known = {pod, {}};
                const auto record = json::parse(said->view());
                if (!record) return "pod " + name + " has a record that is no JSON: " + said->str();
                for (const auto& one : record->at("devices").as_array()) known.devices.push_back(read(one));
                if (auto wrong = hami_differs(*pod, known.devices); !wrong.empty()) return name + ": " + wrong;
            }
            for (const auto& one : known.devices) {
                if (auto wrong = add(one, uses[one.uuid]); !wrong.empty()) return one.uuid + wrong;
            }
        }
        return {};
    }

private:
    struct use {
        int wholes = 0;
        std::int64_t memory = 0, cores = 0;
        unsigned slots = 0;
    };
    struct device {
        std::string uuid, profile;
        std::int64_t start = 0, memory = 0, cores = 0;
    };
    struct known_record {
        std::shared_ptr<const api::core::v1::pod> pod;
        std::vector<device> devices;
    };

    // Claims have devices once, and the pods that run have theirs, on their nodes.
    std::string add_claims(std::map<std::string, use>& uses) const {
        std::set<std::pair<std::string, std::string>> given;
        std::map<std::string, std::int64_t> parts;  // by UUID
        for (const auto& [name, claim] : claims_) {
            if (!claim->status.allocation) continue;
            for (const auto& each : claim->status.allocation->devices.results) {
                const std::pair key(each.pool.str(), each.device.str());
                if (!given.insert(key).second) return key.first + "/" + key.second + " is given twice";
                const auto found = devices_.find(key);
                if (found == devices_.end()) return name + " has " + key.first + "/" + key.second + ", which is none";
                const auto& [uuid, taken] = found->second;
                if ((parts[uuid] += taken) > 8) return uuid + ": its counters are exceeded";
                uses[uuid].wholes = 1;  // for records of pods
            }
        }
        for (const auto& each : pods_) {
            const auto& [name, pod] = each;
            const auto phase = pod->status.phase.view();
            if (pod->spec.node_name.empty() || phase == "Succeeded" || phase == "Failed") continue;
            for (const auto& claim : pod->spec.resource_claims) {
                const auto found = claims_.find(claim.resource_claim_name.str());
                if (found == claims_.end() || !found->second->status.allocation) return name + " runs without a claim";
                const auto& users = found->second->status.reserved_for;
                const bool is_user =
                    std::ranges::any_of(users, [&](const auto& user) { return user.uid == each.second->metadata.uid; });
                if (!is_user) return name + " has no reservation of " + found->first;
                const auto& results = found->second->status.allocation->devices.results;
                const bool is_here = std::ranges::all_of(
                    results, [&](const auto& one) { return one.pool == each.second->spec.node_name; });
                if (!is_here) return name + " is on another node than its device";
            }
        }
        return {};
    }
    static device read(const json::value& from) {
        const auto number = [&](const char* name) {
            const auto* found = json::find(from, {name});
            return found == nullptr ? 0 : found->as_int64();
        };
        return {std::string(json::get_string(from, {"uuid"})), std::string(json::get_string(from, {"mig"})),
                number("start"), number("memoryMiB"), number("cores")};
    }
    std::string add(const device& one, use& on) const {
        if (!one.profile.empty()) {
            const unsigned mask = ((1U << slots(one.profile)) - 1U) << static_cast<unsigned>(one.start);
            if ((on.slots & mask) != 0 || mask > 0xff) return ": " + one.profile + " overlaps";
            on.slots |= mask;
        } else if (one.memory > 0) {
            on.memory += one.memory;
            on.cores += one.cores;
        } else {
            ++on.wholes;
        }
        const auto found = memory_.find(one.uuid);
        const std::int64_t size = found == memory_.end() ? 0 : found->second;
        const bool is_shared = on.memory > 0 || on.slots != 0;
        if (on.wholes > 1 || (on.wholes == 1 && is_shared)) return " is given whole and to others";
        if (on.memory > size && size > 0) return ": " + std::to_string(on.memory) + " MiB are given";
        if (on.cores > 100) return ": " + std::to_string(on.cores) + " % are given";
        return {};
    }
    // What HAMi's device plugin would give: of each GPU of the record the same.
    std::string hami_differs(const api::core::v1::pod& pod, const std::vector<device>& record) const {
        const auto* said = pod.metadata.annotations.get("hami.io/vgpu-devices-to-allocate");
        if (said == nullptr) return {};
        std::string wanted;
        for (const auto& one : record) {
            const auto found = memory_.find(one.uuid);
            const auto memory = one.memory > 0 ? one.memory : found == memory_.end() ? 0 : found->second;
            wanted += one.uuid + ",NVIDIA," + std::to_string(memory) + "," +
                      std::to_string(one.memory > 0 ? one.cores : 100) + ":";
        }
        wanted += ";";  // each pod has one container
        if (*said != wanted) return "HAMi gives " + said->str() + " instead of " + wanted;
        const auto* node = pod.metadata.annotations.get("hami.io/vgpu-node");
        return node != nullptr && *node == pod.spec.node_name ? "" : "HAMi's node is another one";
    }
    // Of an A100 with 40 GB.
    static unsigned slots(const std::string& profile) {
        if (profile == "1g.5gb") return 1;
        if (profile == "2g.10gb" || profile == "1g.10gb") return 2;
        return profile == "7g.40gb" ? 8 : 4;
    }
    void learn(const api::core::v1::node& node) {
        const auto* registered = node.metadata.annotations.get("hami.io/node-nvidia-register");
        if (registered == nullptr) return;
        const auto all = json::parse(registered->view()).value();
        for (const auto& one : all.as_array()) {
            memory_[std::string(json::get_string(one, {"id"}))] = one.at("devmem").as_int64();
        }
    }

    std::map<std::string, std::int64_t> memory_;  // by UUID, of nodes that give shares
    pods pods_;                                   // of the last call
    nodes nodes_;
    claims claims_;
    std::map<std::pair<std::string, std::string>, std::pair<std::string, std::int64_t>> devices_;  // by pool and name
    std::map<std::string, known_record> records_;                                                  // by pod
};

}  // namespace kcontrol::test

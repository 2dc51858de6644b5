// Adds up by UUID what pods hold, from what the API shows of pods and nodes, and by nothing of the program's own.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/documents/value.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kcontrol::test {

class allocation_checker {
public:
    using pods = std::map<std::string, std::shared_ptr<const api::core::v1::pod>>;
    using nodes = std::map<std::string, std::shared_ptr<const api::core::v1::node>>;

    /// What is given twice; empty: nothing. GPUs that nodes had before keep their size.
    std::string check(const pods& all, const nodes& of) {
        for (const auto& [name, node] : of) learn(*node);
        std::map<std::string, use> uses;
        for (const auto& [name, pod] : all) {
            const auto phase = pod->status.phase.view();
            const auto* said = pod->metadata.annotations.get("scheduling.kcontrol.dev/allocation");
            if (pod->spec.node_name.empty() || phase == "Succeeded" || phase == "Failed" || said == nullptr) continue;
            const auto record = json::parse(said->view());
            if (!record) return "pod " + name + " has a record that is no JSON: " + said->str();
            for (const auto& one : record->at("devices").as_array()) {
                const std::string uuid(json::get_string(one, {"uuid"}));
                const auto& device = one.as_object();
                auto& on = uses[uuid];
                if (device.contains("mig")) {
                    const std::string profile(json::get_string(one, {"mig"}));
                    const auto start = device.at("start").as_int64();
                    const unsigned mask = ((1U << slots(profile)) - 1U) << static_cast<unsigned>(start);
                    if ((on.slots & mask) != 0 || mask > 0xff) return uuid + ": " + profile + " overlaps";
                    on.slots |= mask;
                } else if (device.contains("memoryMiB")) {
                    on.memory += device.at("memoryMiB").as_int64();
                    on.cores += device.contains("cores") ? device.at("cores").as_int64() : 0;
                } else {
                    ++on.wholes;
                }
                const auto found = memory_.find(uuid);
                const std::int64_t size = found == memory_.end() ? 0 : found->second;
                const bool is_shared = on.memory > 0 || on.slots != 0;
                if (on.wholes > 1 || (on.wholes == 1 && is_shared)) return uuid + " is given whole and to others";
                if (on.memory > size && size > 0) return uuid + ": " + std::to_string(on.memory) + " MiB are given";
                if (on.cores > 100) return uuid + ": " + std::to_string(on.cores) + " % are given";
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
};

}  // namespace kcontrol::test

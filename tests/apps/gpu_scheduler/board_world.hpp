// Nodes with GPUs, pods on them and pods that wait, as the board sees them.
#pragma once

#include <kcontrol/scheduling/cache.hpp>

#include "cluster/board.hpp"
#include "devices/record.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gpu_scheduler::test {

class board_world {
public:
    using pod_object = std::shared_ptr<const kcontrol::api::core::v1::pod>;
    using amounts = std::vector<std::pair<std::string, std::string>>;

    std::map<std::string, kcontrol::dict<text>> labels;  ///< of namespaces
    std::shared_ptr<board> known = std::make_shared<board>(
        [] { return kcontrol::wall_time(); }, [this](std::string_view name) { return labels[std::string(name)]; });
    kcontrol::scheduling::cache cache;

    /// It gives shares of one GPU.
    void add_node(const std::string& name, int memory_mib, const std::string& product = "A") {
        auto made = node(name, "10", product);
        made.metadata.annotations["hami.io/node-nvidia-register"] =
            R"([{"id":"GPU-)" + name + R"(","index":0,"count":10,"devmem":)" + std::to_string(memory_mib) +
            R"(,"devcore":100,"type":"T","health":true}])";
        cache.set_node(std::make_shared<const kcontrol::api::core::v1::node>(std::move(made)));
    }
    /// Nobody names its GPUs.
    void add_plain_node(const std::string& name, int gpus, const std::string& rack = {},
                        const std::string& product = "A") {
        auto made = node(name, std::to_string(gpus), product);
        if (!rack.empty()) made.metadata.labels["rack"] = rack;
        cache.set_node(std::make_shared<const kcontrol::api::core::v1::node>(std::move(made)));
    }

    /// `devices`: of its record; none: it has none.
    static kcontrol::api::core::v1::pod pod(const std::string& name, const amounts& limits,
                                            const std::string& node = {},
                                            const std::vector<device_hold>& devices = {}) {
        kcontrol::api::core::v1::pod out;
        out.metadata.namespace_ = "nlp";
        out.metadata.name = name;
        out.metadata.uid = "uid-" + name;
        out.spec.node_name = node;
        out.status.phase = "Pending";
        auto& resources = out.spec.containers.emplace_back().resources;
        for (const auto& [key, amount] : limits) {
            resources.limits[key] = amount;
            if (key == "nvidia.com/gpu") resources.requests[key] = amount;
        }
        if (!devices.empty()) out.metadata.annotations[record_annotation] = write_record(devices);
        return out;
    }
    static device_hold device(const std::string& uuid, std::int64_t memory_mib = 0) {
        device_hold out;
        out.uuid = uuid;
        out.memory_mib = memory_mib;
        return out;
    }
    pod_object put(kcontrol::api::core::v1::pod pod) {
        auto shared = std::make_shared<const kcontrol::api::core::v1::pod>(std::move(pod));
        known->set_waiting(*shared);
        cache.set_pod(std::make_shared<const kcontrol::scheduling::pod_info>(shared));
        return shared;
    }
    /// A share of so much memory; it waits if no node is named.
    pod_object add_share(const std::string& name, int memory_mib, const std::string& node = {}) {
        auto held = std::vector(node.empty() ? 0 : 1, device("GPU-" + node, memory_mib));
        return put(pod(name, {{"nvidia.com/gpu", "1"}, {"nvidia.com/gpumem", std::to_string(memory_mib)}}, node, held));
    }
    /// The first GPUs of a node that nobody names.
    pod_object add_whole(const std::string& name, int gpus, const std::string& node = {}, int first = 0) {
        std::vector<device_hold> held;
        for (int i = 0; !node.empty() && i < gpus; ++i) held.push_back(device(node + "/" + std::to_string(first + i)));
        return put(pod(name, {{"nvidia.com/gpu", std::to_string(gpus)}}, node, held));
    }
    /// Tenant nlp, with one quota.
    void set_tenant(const std::string& product, std::int64_t gpus, std::int64_t limit = -1) {
        tenant made;
        made.metadata.name = "nlp";
        made.spec.namespaces.push_back("nlp");
        auto& quota = made.spec.quotas.emplace_back();
        quota.product = product;
        quota.gpus = gpus;
        if (limit >= 0) quota.limit = limit;
        known->set_tenants({made});
    }

    const kcontrol::scheduling::snapshot& snapshot() {
        return cache.prepare(kcontrol::scheduling::pod_info(std::make_shared<kcontrol::api::core::v1::pod>()));
    }
    void refresh() { known->refresh(snapshot()); }
    /// A node of the snapshot as it is now, also during a trial.
    node_state& at(const std::string& name) { return known->at(*snapshot().find(name)); }
    std::string sums(const std::string& product) {
        refresh();
        return std::to_string(known->book(product).find("nlp")->allocated) + " of " +
               std::to_string(known->requested(product, "nlp")) + ", " + std::to_string(known->pending("nlp"));
    }

private:
    static kcontrol::api::core::v1::node node(const std::string& name, const std::string& gpus,
                                              const std::string& product) {
        kcontrol::api::core::v1::node out;
        out.metadata.name = name;
        out.metadata.labels["nvidia.com/gpu.product"] = product;
        auto& has = out.status.allocatable;
        has["cpu"] = "8";
        has["memory"] = "64Gi";
        has["pods"] = "100";
        has["nvidia.com/gpu"] = gpus;
        return out;
    }
};

}  // namespace gpu_scheduler::test

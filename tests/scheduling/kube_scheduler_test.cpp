// Each plugin against kube-scheduler's of that name, on small clusters with objects of all kinds.
#include <kcontrol/scheduling/image_locality.hpp>
#include <kcontrol/scheduling/inter_pod_affinity.hpp>
#include <kcontrol/scheduling/node_affinity.hpp>
#include <kcontrol/scheduling/node_name.hpp>
#include <kcontrol/scheduling/node_ports.hpp>
#include <kcontrol/scheduling/node_resources_balanced_allocation.hpp>
#include <kcontrol/scheduling/node_resources_fit.hpp>
#include <kcontrol/scheduling/node_unschedulable.hpp>
#include <kcontrol/scheduling/pod_topology_spread.hpp>
#include <kcontrol/scheduling/taint_toleration.hpp>
#include <kcontrol/scheduling/volume_binding.hpp>

#include "go_truth/go_table.hpp"
#include "scheduling/plugin_world.hpp"

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using scheduling::resource_weight;

namespace {

// A cluster of the table, and the pod that is to be placed.
class kube_world {
public:
    explicit kube_world(const json::array& row) : row_(row), pod_(read<core::pod>(row[1])) {
        const auto& objects = row[0].as_object();
        each<core::node>(objects, "Nodes", [&](auto node) { world_.cache().set_node(node); });
        each<core::namespace_>(objects, "Namespaces", [&](auto one) { world_.cache().set_namespace(one); });
        each<core::pod>(objects, "Pods", [&](auto pod) { world_.put(std::make_shared<scheduling::pod_info>(pod)); });
        const auto set = [&](auto one) { catalog_.set(one); };
        each<core::persistent_volume_claim>(objects, "Claims", set);
        each<core::persistent_volume>(objects, "Volumes", set);
        each<api::storage::v1::storage_class>(objects, "Classes", set);
        each<api::storage::v1::csi_driver>(objects, "Drivers", set);
        each<api::storage::v1::csi_storage_capacity>(objects, "Capacities", set);
    }

    const scheduling::volume_catalog& catalog() const noexcept { return catalog_; }

    template <class Plugin>
    void compare(const std::string& name, const Plugin& plugin) {
        CAPTURE(name);
        const auto& expected = row_[2].as_object().at(name).as_object();
        plugin_round<Plugin> round(plugin, world_, std::make_shared<const scheduling::pod_info>(pod_));
        if (!text_of(expected.at("Filtered")).empty()) CHECK(round.filtered() == text_of(expected.at("Filtered")));
        if (text_of(expected.at("Scored")).empty()) return;
        // ImageLocality gives 0 to all nodes where ours has nothing to do.
        const std::string scored = round.scored();
        if (name != "ImageLocality" || scored != "skip") CHECK(scored == text_of(expected.at("Scored")));
    }

private:
    template <class T>
    static std::shared_ptr<const T> read(const json::value& from) {
        return object_of<T>(json::serialize(from));
    }
    template <class T, class Function>
    static void each(const json::object& objects, const char* kind, Function&& function) {
        const auto& list = objects.at(kind);
        if (!list.is_array()) return;
        for (const auto& one : list.as_array()) function(read<T>(one));
    }

    const json::array& row_;
    std::shared_ptr<const core::pod> pod_;
    plugin_world world_;
    scheduling::volume_catalog catalog_;
};

}  // namespace

TEST_CASE("plugins filter and score as kube-scheduler's do") {
    auto rows = go_table("scheduling");
    if (const char* more = std::getenv("KCONTROL_SCHEDULING_TRUTH")) {  // seam: ok, of the test itself
        std::ifstream file(more);
        for (std::string line; std::getline(file, line);) rows.push_back(std::move(json::parse(line)->get_array()));
    }
    scheduling::node_resources_fit_options most;
    most.strategy(scheduling::scoring_strategy::most_allocated)
        .resources({resource_weight("cpu", 1), resource_weight("memory", 1), resource_weight("nvidia.com/gpu", 3)});
    const std::vector<resource_weight> three = {resource_weight("cpu", 1), resource_weight("memory", 1),
                                                resource_weight("nvidia.com/gpu", 1)};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CAPTURE(i);
        kube_world world(rows[i]);
        world.compare("ImageLocality", scheduling::image_locality());
        world.compare("InterPodAffinity", scheduling::inter_pod_affinity());
        world.compare("NodeAffinity", scheduling::node_affinity());
        world.compare("NodeName", scheduling::node_name());
        world.compare("NodePorts", scheduling::node_ports());
        world.compare("NodeResourcesBalancedAllocation", scheduling::node_resources_balanced_allocation());
        world.compare("NodeResourcesBalancedAllocation three", scheduling::node_resources_balanced_allocation(three));
        world.compare("NodeResourcesFit", scheduling::node_resources_fit());
        world.compare("NodeResourcesFit most", scheduling::node_resources_fit(most));
        world.compare("NodeUnschedulable", scheduling::node_unschedulable());
        world.compare("PodTopologySpread", scheduling::pod_topology_spread());
        world.compare("TaintToleration", scheduling::taint_toleration());
        world.compare("VolumeBinding", scheduling::volume_binding(world.catalog()));
    }
}

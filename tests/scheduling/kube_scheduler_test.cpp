// Each plugin against kube-scheduler's of that name, on small clusters with objects of all kinds; and whole decisions
// against those of its framework.
#include <kcontrol/scheduling/cycle.hpp>
#include <kcontrol/scheduling/default_plugins.hpp>

#include "go_truth/go_table.hpp"
#include "scheduling/plugin_world.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using scheduling::resource_weight;

namespace {

// A cluster of a table.
class kube_world {
public:
    explicit kube_world(const json::array& row) : row_(row) {
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
        plugin_round<Plugin> round(plugin, world_, pod_of_row(row_[1]));
        if (!text_of(expected.at("Filtered")).empty()) CHECK(round.filtered() == text_of(expected.at("Filtered")));
        if (text_of(expected.at("Scored")).empty()) return;
        const std::string scored = round.scored(), truth = text_of(expected.at("Scored"));
        // These give 0 to all nodes where ours have nothing to do.
        const bool may_skip = name == "ImageLocality" || name == "VolumeBinding";
        if (may_skip && scored == "skip") {
            const auto is_score = [](char before, char c) { return before == ' ' && c >= '1' && c <= '9'; };
            CHECK(std::adjacent_find(truth.begin(), truth.end(), is_score) == truth.end());
        } else {
            CHECK(scored == truth);
        }
    }

    // The sums of the scores, or the message, of each pod as it is expected and as it is. They are compared with one
    // CHECK each, since there are many.
    void compare_decisions() {
        const auto plugins = scheduling::default_profile("default-scheduler", catalog_);
        scheduling::cycle cycle(plugins);
        const auto& expected = row_[2].as_array();
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const auto pod = pod_of_row(row_[1].as_array()[i]);
            CAPTURE(pod->name());
            const auto& truth = expected[i].as_object();
            const auto decided = cycle.decide(world_.prepare(*pod), *pod);
            const auto why = cycle.explain(world_.prepare(*pod), *pod);
            if (const auto message = text_of(truth.at("Message")); message == "error") {
                CHECK(decided.result == scheduling::decision_result::error);
                continue;
            } else {
                CHECK(decided.message() == message);
                CHECK(why.decided.message() == message);
            }
            std::map<std::string, std::int64_t> sums, all;
            for (const auto& one : why.nodes) {
                if (one.plugin.empty()) sums[one.node] = one.score;
            }
            if (truth.at("Scores").is_object()) {
                for (const auto& [node, sum] : truth.at("Scores").as_object())
                    all[std::string(node)] = sum.to_number<std::int64_t>();
            }
            CHECK(sums == all);
            if (all.empty()) continue;
            const auto best = std::max_element(all.begin(), all.end(),
                                               [](const auto& a, const auto& b) { return a.second < b.second; });
            REQUIRE(all.count(decided.node) == 1);
            CHECK(all.at(decided.node) == best->second);
        }
    }

private:
    static std::shared_ptr<const scheduling::pod_info> pod_of_row(const json::value& from) {
        return std::make_shared<const scheduling::pod_info>(read<core::pod>(from));
    }
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
    plugin_world world_;
    scheduling::volume_catalog catalog_;
};

// The rows of a table, and of the file that a variable names: more of them.
std::vector<json::array> rows_of(const char* table, const char* variable) {
    auto rows = go_table(table);
    if (const char* more = std::getenv(variable)) {  // seam: ok, of the test itself
        std::ifstream file(more);
        REQUIRE_MESSAGE(file.good(), more);
        for (std::string line; std::getline(file, line);) rows.push_back(std::move(json::parse(line)->get_array()));
    }
    return rows;
}

}  // namespace

TEST_CASE("decisions are kube-scheduler's") {
    const auto rows = rows_of("scheduling_decisions", "KCONTROL_SCHEDULING_DECISIONS");
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CAPTURE(i);
        kube_world(rows[i]).compare_decisions();
    }
}

TEST_CASE("plugins filter and score as kube-scheduler's do") {
    const auto rows = rows_of("scheduling", "KCONTROL_SCHEDULING_TRUTH");
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

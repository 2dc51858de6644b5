// For tests/e2e/scheduler_decisions.py: random clusters, and what kcontrol::scheduling decides.
//     scheduling_probe cluster SEED LEAST_NODES MOST_NODES PODS GANGS SCHEDULER_NAME
// prints the cluster of that seed: {"namespaces": [], "priorityClasses": [], "nodes": [], "pods": []}.
//     scheduling_probe decide
// reads states, one per line: {"namespaces": [], "nodes": [], "pods": [], "pod": {}}. It answers each with a line
// {"placed": true, "message": "", "feasible": ["a"], "refused": {"b": "NodeResourcesFit: Insufficient cpu"}}.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/scheduling/cycle.hpp>
#include <kcontrol/scheduling/default_plugins.hpp>
#include <kcontrol/scheduling/volume_catalog.hpp>
#include <kcontrol/testing/random_cluster.hpp>

#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

using namespace kcontrol;
namespace core = api::core::v1;

namespace {

template <class T>
std::shared_ptr<const T> object_of(const json::value& from) {
    auto read = from_json<T>(json::serialize(from));
    if (!read) throw std::invalid_argument(read.error().message());
    return std::make_shared<const T>(std::move(*read));
}

std::shared_ptr<const scheduling::pod_info> pod_of(const json::value& from) {
    return std::make_shared<const scheduling::pod_info>(object_of<core::pod>(from));
}

std::string reasons_of(const scheduling::node_explanation& node) {
    std::string out(node.plugin);
    for (std::size_t i = 0; i < node.refused.reason_count(); ++i) {
        out += (i == 0 ? ": " : ", ") + std::string(node.refused.reason(i).view());
    }
    return out;
}

std::string answer_to(const json::value& state) {
    const scheduling::volume_catalog volumes;
    const scheduling::profile plugins = scheduling::default_profile("probe", volumes);
    scheduling::cycle cycle(plugins);
    scheduling::cache cluster;
    for (const auto& one : state.at("namespaces").as_array()) cluster.set_namespace(object_of<core::namespace_>(one));
    for (const auto& one : state.at("nodes").as_array()) cluster.set_node(object_of<core::node>(one));
    for (const auto& one : state.at("pods").as_array()) static_cast<void>(cluster.set_pod(pod_of(one)));
    const auto pod = pod_of(state.at("pod"));
    const auto said = cycle.explain(cluster.prepare(*pod, plugins.labels()), *pod);
    json::object refused;
    json::array feasible;
    for (const auto& node : said.nodes) {
        if (node.plugin.empty()) {
            feasible.emplace_back(node.node);
        } else {
            refused[node.node] = reasons_of(node);
        }
    }
    json::object out;
    out["placed"] = said.decided.placed();
    out["message"] = said.decided.message();
    out["feasible"] = std::move(feasible);
    out["refused"] = std::move(refused);
    return json::serialize(json::value(std::move(out)));
}

int print_cluster(char** arguments) {
    testing::random_cluster_options options;
    options.nodes(std::atoi(arguments[1]), std::atoi(arguments[2])).pods(std::atoi(arguments[3]));
    options.gangs(std::atoi(arguments[4])).scheduler_name(arguments[5]);
    const auto made = testing::make_random_cluster(std::strtoull(arguments[0], nullptr, 10), options);
    json::object out;
    for (const auto& [name, all] :
         {std::pair("namespaces", &made.namespaces), std::pair("priorityClasses", &made.priority_classes),
          std::pair("nodes", &made.nodes), std::pair("pods", &made.pods)}) {
        json::array& to = out[name].emplace_array();
        for (const auto& one : *all) to.push_back(one);
    }
    std::cout << json::serialize(json::value(std::move(out))) << '\n';
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    const std::string_view mode = count > 1 ? arguments[1] : "";
    if (mode == "cluster" && count == 8) return print_cluster(arguments + 2);
    if (mode != "decide") {
        std::cerr << "usage: scheduling_probe cluster SEED LEAST MOST PODS GANGS NAME | scheduling_probe decide\n";
        return 2;
    }
    for (std::string line; std::getline(std::cin, line);) {
        std::cout << answer_to(json::parse(line).value()) << std::endl;
    }
    return 0;
}

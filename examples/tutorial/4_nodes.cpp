// Index and projection: a line for each node whose pods change, with what they ask for. Of pods only the fields below
// are decoded and kept, and an index finds those of a node among however many there are. Once per minute there is a
// line for all nodes.
#include <kcontrol/cache/index.hpp>
#include <kcontrol/cluster/timer_source.hpp>
#include <kcontrol/controller/changed.hpp>
#include <kcontrol/manager/run.hpp>
#include <kcontrol/values/quantity.hpp>

#include <iostream>

using namespace kcontrol;

constexpr const char* gpu = "nvidia.com/gpu";
constexpr const char* total = "(total)";  // no node has this name

struct wants {
    dict<quantity> limits;
    static constexpr auto kcontrol_fields() { return fields(field("limits", &wants::limits)); }
};
struct container {
    wants resources;
    static constexpr auto kcontrol_fields() { return fields(field("resources", &container::resources)); }
};
struct pod_spec {
    text node_name;
    list<container> containers;
    static constexpr auto kcontrol_fields() {
        return fields(field("nodeName", &pod_spec::node_name), field("containers", &pod_spec::containers));
    }
};
struct pod {
    static constexpr resource_name kcontrol_resource{"", "v1", "Pod", "pods"};
    using kcontrol_projection = void;  // so it can't be written back by mistake, for the rest would be lost
    object_meta metadata;
    pod_spec spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &pod::spec)); }
};

struct node_status {
    dict<quantity> allocatable;
    static constexpr auto kcontrol_fields() { return fields(field("allocatable", &node_status::allocatable)); }
};
struct node {
    static constexpr resource_name kcontrol_resource{"", "v1", "Node", "nodes", resource_scope::cluster};
    using kcontrol_projection = void;
    object_meta metadata;
    node_status status;
    static constexpr auto kcontrol_fields() { return fields(field("status", &node::status)); }
};

std::int64_t gpus_of(const dict<quantity>& amounts) {
    const auto found = amounts.find(gpu);
    return found == amounts.end() ? 0 : found->second.value();
}

struct node_report {
    std::shared_ptr<informer<node>> nodes;
    std::shared_ptr<informer<pod>> pods;
    store_index by_node;

    std::string use_of(const std::vector<std::shared_ptr<const node>>& which) const {
        std::int64_t count = 0, used = 0, has = 0;
        for (const auto& n : which) {
            has += gpus_of(n->status.allocatable);
            for (const pod& p : pods->by_index(by_node, n->metadata.name)) {
                ++count;
                for (const auto& c : p.spec.containers) used += gpus_of(c.resources.limits);
            }
        }
        return std::to_string(count) + " pods, " + std::to_string(used) + " of " + std::to_string(has) + " GPUs";
    }

    reconcile_result operator()(reconcile_context, request req, std::shared_ptr<const node> n) const {
        if (n) std::cout << req.name << ": " << use_of({n}) << std::endl;
        if (req.name == total) std::cout << nodes->list().size() << " nodes: " << use_of(nodes->list()) << std::endl;
        return reconcile_result::done();
    }
};

int main(int argc, char** argv) {
    return run(argc, argv, [](manager& m) -> result<void> {
        const auto pods = m.get_informer<pod>();
        const auto by_node = pods->add_index("node", index_by_field(&pod::spec, &pod_spec::node_name));
        if (!by_node) return by_node.error();
        // A pod that got its node, or is gone, has that node looked at again.
        const auto node_of = [](const pod& p) {
            std::vector<request> out;
            if (!p.spec.node_name.empty()) out.emplace_back(namespaced_name("", p.spec.node_name.str()));
            return out;
        };
        // The total is a request as that of a node is; a timer makes it.
        const auto each_minute =
            std::make_shared<timer_source>(m.env(), m.get_executor(), namespaced_name("", total),
                                           timer_options(std::chrono::minutes(1)).fire_immediately(true));
        const auto built = controller_builder(m, "nodes")
                               .for_<node>(changed(&node_status::allocatable))
                               .watches<pod>(node_of, changed(&pod_spec::node_name))
                               .watches_source(each_minute, enqueue_for_object)
                               .complete(node_report{m.get_informer<node>(), pods, *by_node});
        return built ? result<void>() : built.error();
    });
}

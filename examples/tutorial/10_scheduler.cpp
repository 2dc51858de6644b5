// A scheduler: all that kube-scheduler's plugins decide, gangs and preemption, and a plugin of its own. With --pack-by
// LABEL a pod goes to nodes with that label only, and to the value of it that has most pods of the pod's namespace:
// jobs stay in one rack, and whole racks stay free.
#include <kcontrol/scheduling/run_scheduler.hpp>

#include <algorithm>
#include <map>
#include <string>

using namespace kcontrol;
using namespace kcontrol::scheduling;

class pack_by_label {
public:
    static constexpr std::string_view name = "PackByLabel";

    // What it knows of the pod while its nodes are scored.
    struct state {
        std::map<std::string, std::int64_t, std::less<>> pods;  // of the namespace, by the value of the label
        std::int64_t most = 0;
    };

    explicit pack_by_label(std::string label) : label_(std::move(label)), no_label_("node(s) had no label " + label_) {}

    // What may change what filter() says: a pod that was refused is tried again then.
    static std::vector<event_kind> events() {
        return {{interned_name("Node"), event_actions::add | event_actions::update_node_label}};
    }

    status filter(const pod_info&, const node_info& node) const {
        return node.label(label_) != nullptr ? status() : status::unresolvable(no_label_);
    }

    // `feasible` are the nodes that can take the pod: where none can, it matters not how many pods there are.
    status pre_score(state& of_pod, const pod_info& pod, const snapshot& nodes,
                     std::span<const node_info* const> feasible) const {
        of_pod = {};
        for (const placed_pod* other : nodes.pods_in(pod.namespace_())) {
            if (const text* value = other->node->label(label_)) ++of_pod.pods[value->str()];
        }
        for (const node_info* node : feasible) of_pod.most = std::max(of_pod.most, pods_at(of_pod, *node));
        return {};
    }

    std::int64_t score(const state& of_pod, const pod_info&, const node_info& node) const {
        return pods_at(of_pod, node) == of_pod.most ? 100 : 0;
    }

private:
    std::int64_t pods_at(const state& of_pod, const node_info& node) const {
        const auto found = of_pod.pods.find(node.label(label_)->view());
        return found == of_pod.pods.end() ? 0 : found->second;
    }

    std::string label_;
    interned_name no_label_;
};

int main(int argc, char** argv) {
    std::string label;
    const auto take_label = [&label](std::string_view given) -> result<void> {
        if (given.empty()) return error(errc::invalid_argument, "the name of a label is expected");
        label = given;
        return {};
    };
    run_options program;
    program.flag("--pack-by", "LABEL", "fill the nodes of one value of this label first", take_label);
    scheduler_options how("tutorial-scheduler");
    how.plugins([&label](plugin_registry& all) {
        if (label.empty()) return;
        all.add(pack_by_label(label), 2000);    // a hundred times as much as all other scores together can be
        all.percentage_of_nodes_to_score(100);  // the value with most pods is to be among the nodes
    });
    return run_scheduler(argc, argv, how, program);
}

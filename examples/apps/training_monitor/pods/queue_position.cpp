#include "pods/queue_position.hpp"

#include <kcontrol/http/url.hpp>
#include <kcontrol/json/reader.hpp>

namespace training_monitor {

std::string pending_workloads_target(std::string_view name_space, std::string_view local_queue) {
    return "/apis/visibility.kueue.x-k8s.io/v1beta1/namespaces/" + kcontrol::http::percent_encode(name_space) +
           "/localqueues/" + kcontrol::http::percent_encode(local_queue) +
           "/pendingworkloads?limit=" + std::to_string(most_pending_workloads);
}

std::optional<queue_position> find_position(std::string_view answer, std::string_view workload) {
    kcontrol::json::document document;
    const auto root = document.parse(answer);
    if (!root || !root->is_object() || !(*root)["items"].is_array()) return std::nullopt;
    for (const auto item : (*root)["items"].elements()) {
        if (!item.is_object() || !item["metadata"].is_object()) continue;
        const auto name = item["metadata"]["name"];
        if (!name.is_string() || name.as_string() != workload) continue;
        queue_position found;
        const bool told = item["positionInLocalQueue"].get_int64(found.in_local_queue) &&
                          item["positionInClusterQueue"].get_int64(found.in_cluster_queue);
        if (!told || found.in_local_queue < 0 || found.in_cluster_queue < 0) return std::nullopt;
        return found;
    }
    return std::nullopt;
}

std::string describe(const queue_position& position, std::string_view local_queue) {
    return "number " + std::to_string(position.in_local_queue + 1) + " in queue " + std::string(local_queue) + ", " +
           std::to_string(position.in_cluster_queue + 1) + " in its ClusterQueue";
}

}  // namespace training_monitor

#include "pods/ask_queues.hpp"

#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/json/reader.hpp>

#include <chrono>
#include <utility>

namespace training_monitor {
namespace {

constexpr auto queues_deadline = std::chrono::seconds(5);

std::string text_in(kcontrol::json::node object, std::string_view name) {
    const auto value = object.is_object() ? object[name] : kcontrol::json::node();
    return value.is_string() ? std::string(value.as_string()) : std::string();
}

std::string waiting_target(std::string_view cluster_queue) {
    return "/apis/visibility.kueue.x-k8s.io/v1beta1/clusterqueues/" + kcontrol::http::percent_encode(cluster_queue) +
           "/pendingworkloads?limit=" + std::to_string(most_waiting_of_a_queue);
}

kcontrol::list_options all_of_them(const std::stop_token& stop) {
    kcontrol::list_options out;
    out.resource_version("0").deadline(queues_deadline).stop(stop);
    return out;
}

}  // namespace

std::optional<std::vector<waiting_workload>> read_waiting(std::string_view answer) {
    kcontrol::json::document document;
    const auto root = document.parse(answer);
    if (!root || !root->is_object() || !(*root)["items"].is_array()) return std::nullopt;
    std::vector<waiting_workload> out;
    for (const auto item : (*root)["items"].elements()) {
        if (!item.is_object() || !item["metadata"].is_object()) continue;
        waiting_workload one;
        one.name = text_in(item["metadata"], "name");
        one.namespace_ = text_in(item["metadata"], "namespace");
        one.local_queue = text_in(item, "localQueueName");
        const bool told = item["positionInLocalQueue"].get_int64(one.position.in_local_queue) &&
                          item["positionInClusterQueue"].get_int64(one.position.in_cluster_queue);
        if (!told || one.name.empty()) continue;
        if (!item["priority"].get_int64(one.priority)) one.priority = 0;
        const auto owners = item["metadata"]["ownerReferences"];
        if (owners.is_array()) {
            for (const auto owner : owners.elements()) {
                one.job_kind = text_in(owner, "kind");
                one.job_name = text_in(owner, "name");
                break;
            }
        }
        out.push_back(std::move(one));
    }
    return out;
}

kcontrol::awaitable<kcontrol::result<queue_knowledge>> ask_queues(kcontrol::client from, std::stop_token stop) {
    using outcome = kcontrol::result<queue_knowledge>;
    auto listing = from.list_page<cluster_queue>(all_of_them(stop));
    auto queues = co_await std::move(listing);
    if (!queues) co_return outcome(queues.error());
    queue_knowledge out;
    out.cluster_queues = std::move(queues->items);
    auto listing_local = from.list_page<local_queue>(all_of_them(stop));
    auto local = co_await std::move(listing_local);
    if (local) {
        out.local_queues = std::move(local->items);
    } else {
        out.local_queues = local.error();
    }
    std::size_t asked = 0;
    for (const auto& queue : out.cluster_queues) {
        if (queue->status.pending == 0 || asked == most_queues_asked || out.waiting_forbidden) continue;
        ++asked;
        const std::string name(std::string_view(queue->metadata.name));
        kcontrol::http::request question("GET", waiting_target(name));
        question.headers.set("Accept", "application/json");
        kcontrol::http::exchange_options bounds;
        bounds.deadline(queues_deadline).max_body(most_pending_bytes).stop(stop);
        auto asking = from.raw(std::move(question), std::move(bounds));
        const auto answer = co_await std::move(asking);
        if (!answer) break;  // the next one would wait as long
        if (answer->status == 403) out.waiting_forbidden = true;
        if (answer->status != 200) continue;
        if (auto waiting = read_waiting(answer->body)) out.waiting.emplace(name, std::move(*waiting));
    }
    co_return outcome(std::move(out));
}

}  // namespace training_monitor

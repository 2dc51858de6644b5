#include "gpus/gpu_board.hpp"

#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/runtime/task_group.hpp>

#include <chrono>
#include <utility>

namespace training_monitor {
namespace {

using namespace std::chrono_literals;

constexpr auto look_again = 1min;
constexpr auto list_deadline = 10s;
constexpr std::size_t most_at_once = 8;

}  // namespace

node_knowledge gpu_board::look(const std::string& cluster) {
    entry& e = known_[cluster];
    const bool is_due = !e.asked || env_.now() - *e.asked >= look_again;
    if (is_due && client_of_(cluster)) {
        e.asked = env_.now();
        wanted_.insert(cluster);
        changed_.notify_all();
    }
    return e.known;
}

kcontrol::awaitable<void> gpu_board::run(kcontrol::executor ex, std::stop_token stop) {
    kcontrol::task_group lists(env_, ex);
    while (!stop.stop_requested()) {
        if (wanted_.empty() || running_ >= most_at_once) {
            co_await changed_.wait(env_, stop);
            continue;
        }
        std::string next = *wanted_.begin();
        wanted_.erase(wanted_.begin());
        ++running_;
        lists.spawn(list(std::move(next), stop));
    }
    co_await lists.join();
}

kcontrol::awaitable<void> gpu_board::list(std::string cluster, std::stop_token stop) {
    if (auto from = client_of_(cluster)) {
        kcontrol::list_options which;
        which.resource_version("0").deadline(list_deadline).stop(stop);
        auto asking = from->list_page<gpu_node>(std::move(which));
        const auto listed = co_await std::move(asking);
        take(cluster, listed);
    }
    --running_;
    changed_.notify_all();
}

void gpu_board::take(const std::string& cluster, const kcontrol::result<kcontrol::object_page<gpu_node>>& listed) {
    const auto at = known_.find(cluster);
    if (at == known_.end()) return;  // it left meanwhile
    node_knowledge& known = at->second.known;
    if (!listed) {
        const bool missing = listed.error().code() == kcontrol::api_errc::forbidden;
        known.state = missing ? node_knowledge::state_type::forbidden : node_knowledge::state_type::failed;
        known.reason = listed.error().message();
        return;
    }
    known = node_knowledge();
    known.state = node_knowledge::state_type::known;
    known.at = env_.wall_now();
    for (const auto& node : listed->items) {
        if (auto row = row_of(*node)) known.nodes.push_back(std::move(*row));
    }
}

}  // namespace training_monitor

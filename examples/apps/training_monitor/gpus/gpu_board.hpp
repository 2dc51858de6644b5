// The nodes with GPUs of all clusters, listed when somebody looks.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "gpus/gpu_pools.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace training_monitor {

/// What is known of a cluster's nodes.
struct node_knowledge {
    enum class state_type {
        loading,    ///< it is being asked for the first time
        known,      ///< as of `at`
        forbidden,  ///< the right to list nodes is missing
        failed,     ///< for `reason`; the nodes are those of before
    };
    state_type state = state_type::loading;
    std::string reason;
    std::vector<gpu_row> nodes;
    std::optional<kcontrol::wall_time> at;
};

/// Nodes are not watched: each tells of itself every five minutes, in full, and a page that nobody looks at wants none
/// of it. They are listed when somebody looks, once a minute at most.
///
/// Thread-safety: shared objects unsafe; use it on the executor of the clusters' manager.
/// Object lifetime: the environment outlives it.
class gpu_board {
public:
    /// `client_of` gives the client of a cluster that is engaged, or nothing.
    gpu_board(kcontrol::environment& env, std::function<std::optional<kcontrol::client>(const std::string&)> client_of)
        : env_(env), client_of_(std::move(client_of)) {}

    /// Somebody looks at the GPUs of this cluster. What is known now; more will be, soon.
    node_knowledge look(const std::string& cluster);
    void forget(const std::string& cluster) { known_.erase(cluster); }

    /// Lists nodes as they are wanted, of several clusters at a time.
    kcontrol::awaitable<void> run(kcontrol::executor ex, std::stop_token stop);

private:
    struct entry {
        node_knowledge known;
        std::optional<kcontrol::time_point> asked;
    };
    kcontrol::awaitable<void> list(std::string cluster, std::stop_token stop);
    void take(const std::string& cluster, const kcontrol::result<kcontrol::object_page<gpu_node>>& listed);

    kcontrol::environment& env_;
    std::function<std::optional<kcontrol::client>(const std::string&)> client_of_;
    std::map<std::string, entry> known_;
    std::set<std::string> wanted_;
    std::size_t running_ = 0;
    kcontrol::async_event changed_;
};

}  // namespace training_monitor

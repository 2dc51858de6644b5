// The clusters that the state file keeps, as a source: what `training_monitor cluster` changes there is picked up.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/multicluster/cluster_source.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>

#include "crypto/seal.hpp"
#include "memory/memory.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace training_monitor {

/// What a sealed kubeconfig is bound to: it can't be moved to another name, context or directory.
std::string seal_binding(const kept_cluster& cluster);

/// How to reach that cluster, or why it can't be: its file, its key or its sealed text is not as it should be. That is
/// this cluster's affair only. `key` is what --key-file gave, nothing without the flag.
kcontrol::desired_cluster to_desired(kcontrol::environment& env, const kept_cluster& cluster,
                                     const std::optional<kcontrol::result<crypto::seal_key>>& key);

/// Thread-safety and callbacks: see cluster_source. Object lifetime: the environment and the memory outlive it.
class kept_source final : public kcontrol::cluster_source {
public:
    /// Kubeconfigs by path are read again this often, the key file as well.
    static constexpr kcontrol::duration read_again = std::chrono::seconds(10);

    kept_source(kcontrol::environment& env, kcontrol::executor ex, memory& kept, std::string key_file,
                kcontrol::logger log);
    ~kept_source() override;

    kcontrol::result<void> start(std::function<void(std::vector<kcontrol::desired_cluster>)> on_change) override;
    void stop() override;

private:
    kcontrol::awaitable<void> run(std::stop_token stop);
    void publish();

    kcontrol::environment& env_;
    memory& kept_;
    std::string key_file_;
    kcontrol::logger log_;
    kcontrol::task_group tasks_;
    kcontrol::scope lifetime_;
    std::function<void(std::vector<kcontrol::desired_cluster>)> on_change_;
    std::optional<std::vector<kept_cluster>> clusters_;
    std::optional<std::vector<kcontrol::desired_cluster>> published_;
};

}  // namespace training_monitor

// The clusters that the state file keeps, as records: what `training_monitor cluster` changes there is picked up.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/multicluster/cluster_record.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "crypto/seal.hpp"
#include "memory/state_file.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace training_monitor {

/// What a sealed kubeconfig is bound to: it can't be moved to another name, context or directory.
std::string seal_binding(const kept_cluster& cluster);

/// That cluster with its kubeconfig unsealed, or with the fault why it can't be: the key or the sealed text is not as
/// it should be. That is this cluster's affair only. `key` is what --key-file gave, nothing without the flag.
kcontrol::cluster_record to_record(const kept_cluster& cluster,
                                   const std::optional<kcontrol::result<crypto::seal_key>>& key);

/// Whoever writes to the state file and knows the key is the user of this program: a record_source may trust it.
///
/// Thread-safety: see cluster_records; the file is used on the worker's one thread only. Object lifetime: the
/// environment outlives it.
class kept_records final : public kcontrol::cluster_records {
public:
    kept_records(kcontrol::environment& env, std::shared_ptr<state_file> file, std::string key_file,
                 kcontrol::logger log);

    /// The key file is read at each call that gives records.
    kcontrol::result<std::optional<std::vector<kcontrol::cluster_record>>> poll(bool anyway) override;

private:
    kcontrol::environment& env_;
    std::shared_ptr<state_file> file_;
    std::string key_file_;
    kcontrol::logger log_;
    bool looked_ = false;
};

}  // namespace training_monitor

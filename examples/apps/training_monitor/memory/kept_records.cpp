#include "memory/kept_records.hpp"

#include <utility>

namespace training_monitor {

using kcontrol::cluster_record;
using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

std::string seal_binding(const kept_cluster& cluster) {
    return "training_monitor cluster" + ('\0' + cluster.name) + ('\0' + cluster.context) + ('\0' + cluster.path);
}

cluster_record to_record(const kept_cluster& cluster, const std::optional<result<crypto::seal_key>>& key) {
    cluster_record out(cluster.name);
    out.path = cluster.path;
    out.context = cluster.context;
    if (cluster.sealed.empty()) return out;
    if (!key) {
        out.fault = error(errc::invalid_config, "its kubeconfig is sealed: give the key with --key-file FILE");
    } else if (!*key) {
        out.fault = key->error();
    } else if (auto opened = (*key)->open(cluster.sealed, seal_binding(cluster)); opened) {
        out.kubeconfig = std::move(*opened);
    } else {
        out.fault = opened.error();
    }
    return out;
}

kept_records::kept_records(kcontrol::environment& env, std::shared_ptr<state_file> file, std::string key_file,
                           kcontrol::logger log)
    : env_(env), file_(std::move(file)), key_file_(std::move(key_file)), log_(std::move(log)) {}

result<std::optional<std::vector<cluster_record>>> kept_records::poll(bool anyway) {
    const auto changed = file_->changed_elsewhere();
    if (!changed) return changed.error();
    if (!*changed && !anyway) return std::optional<std::vector<cluster_record>>();
    const auto clusters = file_->kept_clusters();
    if (!clusters) return clusters.error();
    if (!std::exchange(looked_, true) && clusters->empty()) {
        log_.info("the state file keeps no cluster yet: `training_monitor cluster add` puts one there");
    }
    std::optional<result<crypto::seal_key>> key;
    if (!key_file_.empty()) key = crypto::seal_key::load(env_, key_file_);
    std::vector<cluster_record> out;
    for (const auto& cluster : *clusters) out.push_back(to_record(cluster, key));
    return std::optional(std::move(out));
}

}  // namespace training_monitor

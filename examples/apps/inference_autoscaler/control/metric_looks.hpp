// A look at the metrics of a scaler: at a Prometheus server, or at its pods.
#pragma once

#include "control/target_pod.hpp"
#include "queries/server_keys.hpp"
#include "scrape/pod_scraper.hpp"

#include <map>

namespace inference_autoscaler {

/// Asks all queries of a scaler at once, or each of its pods: a server that hangs costs 5 s, and a pod 2 s.
///
/// Thread-safety: shared objects unsafe; use it on the executor given. Object lifetime: outlives its read(); the
/// environment outlives both.
class metric_looks {
public:
    metric_looks(environment& env, executor ex, http::transport_factory connect, client cluster);

    /// It has an outcome for each failure.
    awaitable<look> read(inference_scaler scaler, std::vector<scaling_rule> rules, target_pods ready,
                         std::stop_token stop);
    void forget(const namespaced_name& scaler) { before_.erase(scaler); }  ///< one that is deleted

private:
    struct asking;
    awaitable<void> ask_rule(std::shared_ptr<asking> at, std::size_t rule);
    awaitable<void> ask_wake(std::shared_ptr<asking> at, std::string query);
    awaitable<look> by_prometheus(inference_scaler scaler, std::vector<scaling_rule> rules, target_pods ready,
                                  std::stop_token stop);
    awaitable<look> by_pods(inference_scaler scaler, std::vector<scaling_rule> rules, target_pods ready,
                            std::stop_token stop);

    environment& env_;
    executor ex_;
    prometheus_reader prometheus_;
    server_keys keys_;
    pod_scraper scraper_;
    std::map<namespaced_name, pods_said> before_;  // the last look at the pods of a scaler
};

}  // namespace inference_autoscaler

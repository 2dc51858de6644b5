// A look at the metrics of a scaler: at a Prometheus server, or at its pods.
#pragma once

#include <kcontrol/manager/manager.hpp>

#include "control/target_pod.hpp"
#include "queries/server_keys.hpp"
#include "scrape/pod_scraper.hpp"

#include <map>

namespace inference_autoscaler {

/// Thread-safety: shared objects unsafe; use it on the manager's executor. Object lifetime: outlives its read(); the
/// manager outlives both.
class metric_looks {
public:
    metric_looks(manager& m, http::transport_factory connect);

    /// It has an outcome for each failure.
    awaitable<look> read(inference_scaler scaler, std::vector<scaling_rule> rules, target_pods ready,
                         std::stop_token stop);

private:
    awaitable<look> by_prometheus(inference_scaler scaler, std::vector<scaling_rule> rules, target_pods ready,
                                  std::stop_token stop);
    awaitable<look> by_pods(inference_scaler scaler, std::vector<scaling_rule> rules, target_pods ready,
                            std::stop_token stop);

    environment& env_;
    prometheus_reader prometheus_;
    server_keys keys_;
    pod_scraper scraper_;
    std::map<namespaced_name, pods_said> before_;  // the last look at the pods of a scaler
};

}  // namespace inference_autoscaler

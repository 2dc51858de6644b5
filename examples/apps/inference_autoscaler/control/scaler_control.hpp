// The reconciler: looks, lets decide() say how many replicas there are to be, and writes them.
#pragma once

#include <kcontrol/api/autoscaling/v1.hpp>
#include <kcontrol/controller/reconcile_context.hpp>
#include <kcontrol/controller/reconcile_result.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/record/event_recorder.hpp>

#include "control/target_pod.hpp"
#include "decide/kept.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace inference_autoscaler {

/// One look at the metrics of a scaler whose target has these ready pods. It has an outcome for each failure.
using look_function = std::function<awaitable<look>(inference_scaler scaler, std::vector<scaling_rule> rules,
                                                    target_pods ready, std::stop_token stop)>;
/// Told after each look: the scaler with its status as decided, and the pods of its target.
using look_observer = std::function<void(const inference_scaler& scaler, const target_pods& pods)>;

class scaler_control {
public:
    scaler_control(manager& m, look_function ask, look_observer told);

    reconciliation reconcile(reconcile_context ctx, inference_scaler scaler);
    /// Those of a follower have no values: it looks at nothing.
    void write_metrics(metrics_writer& out);

private:
    using scale = api::autoscaling::v1::scale;
    // What is known of one scaler.
    struct entry {
        std::int64_t generation = -1;
        std::vector<scaling_rule> rules;
        std::optional<memory> remembered;
        std::string selector, ns;   // of the target's pods; empty: not known yet
        std::optional<look> fresh;  // not decided on yet
        std::vector<std::optional<double>> values;
        inference_scaler_status told;  // as it was decided last
        time_point asked_others{};
        std::string other;  // "ScaledObject llama": scales the target, too
    };
    using shared_entry = std::shared_ptr<entry>;

    shared_entry entry_of(const reconcile_context& ctx, const inference_scaler& scaler);
    void look_now_and_then(const reconcile_context& ctx, const inference_scaler& scaler, const shared_entry& of);
    awaitable<result<const resource_info*>> kind_of(client c, scale_target target, std::stop_token stop);
    awaitable<result<std::string>> other_of(const reconcile_context& ctx, inference_scaler scaler, shared_entry of);
    awaitable<result<void>> decide_now(const reconcile_context& ctx, const inference_scaler& scaler, shared_entry of,
                                       const resource_info& kind, const scale& found);
    awaitable<result<void>> lower_costs(const reconcile_context& ctx, const target_pods& pods, const look& values);
    awaitable<result<inference_scaler>> write_status(const reconcile_context& ctx, const inference_scaler& scaler,
                                                     inference_scaler_status status);
    awaitable<result<void>> rest(const reconcile_context& ctx, const inference_scaler& scaler, const char* condition,
                                 bool holds, std::string reason, std::string sentence);
    void tell(const inference_scaler& scaler, const inference_scaler_status& now, const decision& made,
              std::int32_t replicas);
    void record(const inference_scaler& scaler, bool warning, const std::string& reason, const std::string& words);

    look_function ask_;
    look_observer told_;
    std::map<std::string, std::unique_ptr<resource_info>> kinds_;
    std::map<namespaced_name, shared_entry> known_;
    std::shared_ptr<informer<inference_scaler>> scalers_;
    std::shared_ptr<event_recorder> events_;
    metrics_registry* metrics_;
    metric_histogram wake_seconds_;
};

/// The kinds that are cached: options of a manager for set_up().
manager_options watched();
/// Adds the controller and its metrics to a manager. Errors: those of the builder.
result<void> set_up(manager& m, look_function ask, look_observer told = {});
/// The same, with metrics of servers and pods, and warm-ups, that `connect` reaches.
result<void> set_up(manager& m, http::transport_factory connect);

}  // namespace inference_autoscaler

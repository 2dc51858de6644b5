// The reconciler: looks, lets decide() say how many replicas there are to be, and writes them.
#pragma once

#include <kcontrol/cache/subscription.hpp>
#include <kcontrol/controller/reconcile_context.hpp>
#include <kcontrol/controller/reconcile_result.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/record/event_recorder.hpp>

#include "control/target_pod.hpp"
#include "control/target_scale.hpp"
#include "decide/kept.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace inference_autoscaler {

/// One look at the metrics of a scaler whose target has these ready pods. It has an outcome for each failure.
using look_function = std::function<awaitable<look>(inference_scaler scaler, std::vector<scaling_rule> rules,
                                                    target_pods ready, std::stop_token stop)>;
/// How many more pods like this one find a node (spec.capacity.scheduler); nothing: that is not known.
using places_function = std::function<awaitable<std::optional<std::int32_t>>(
    inference_scaler scaler, std::shared_ptr<const target_pod> like, std::int32_t pods, std::stop_token stop)>;
/// Told after each look: the scaler with its status as decided, and the pods of its target. status.decision is that of
/// the look, whether it was written or not: where no rule decides, with the value of the one that decided last.
using look_observer = std::function<void(const inference_scaler& scaler, const target_pods& pods)>;

class scaler_control {
public:
    scaler_control(manager& m, look_function ask, look_observer told, places_function places);

    reconciliation reconcile(reconcile_context ctx, inference_scaler scaler);
    /// Those of a follower have no values: it looks at nothing.
    void write_metrics(metrics_writer& out) const;

private:
    // What is known of one scaler.
    struct entry {
        text uid;
        std::int64_t generation = -1;
        std::vector<scaling_rule> rules;
        std::optional<memory> remembered;
        found_target target;        // as it was read last
        bool is_kept = false;       // not read for this reconcile
        std::string selector;       // of the target's pods; empty: not known yet
        std::optional<look> fresh;  // not decided on yet
        std::vector<std::optional<double>> values;
        std::optional<inference_scaler_status> told;  // as it was decided last
    };
    using shared_entry = std::shared_ptr<entry>;
    // The ScaledObjects of a namespace, which are not watched: not everybody has the kind.
    struct scaled_objects {
        time_point asked{};
        std::vector<std::shared_ptr<const scaled_object>> found;
    };
    // Why a scaler does nothing: a condition.
    struct obstacle {
        const char* condition = nullptr;
        bool holds = false;
        std::string reason, sentence;
    };

    shared_entry entry_of(const reconcile_context& ctx, const inference_scaler& scaler);
    void look_now_and_then(const reconcile_context& ctx, const inference_scaler& scaler, const shared_entry& of);
    void index_pods(const std::string& selector);
    awaitable<result<obstacle>> find_obstacle(const reconcile_context& ctx, const inference_scaler& scaler,
                                              shared_entry of);
    awaitable<result<void>> read_target(const reconcile_context& ctx, const inference_scaler& scaler, shared_entry of);
    awaitable<result<std::string>> other_of(const reconcile_context& ctx, const inference_scaler& scaler);
    awaitable<result<decision>> decide_within_places(const reconcile_context& ctx, const inference_scaler& scaler,
                                                     shared_entry of, facts& seen,
                                                     std::shared_ptr<const target_pod> like);
    awaitable<result<void>> decide_now(const reconcile_context& ctx, const inference_scaler& scaler, shared_entry of);
    awaitable<result<void>> lower_costs(const reconcile_context& ctx, const target_pods& pods, const look& values);
    awaitable<result<void>> write_replicas(const reconcile_context& ctx, const inference_scaler& scaler,
                                           shared_entry of, std::int32_t replicas);
    awaitable<result<void>> write_status(const reconcile_context& ctx, const inference_scaler& scaler,
                                         inference_scaler_status status);
    awaitable<result<void>> rest(const reconcile_context& ctx, const inference_scaler& scaler, shared_entry of,
                                 obstacle why);
    void tell(const inference_scaler& scaler, const inference_scaler_status& now, const decision& made,
              std::int32_t replicas, bool is_new);
    void record(const inference_scaler& scaler, bool warning, const std::string& reason, const std::string& words);

    look_function ask_;
    look_observer told_;
    places_function places_;
    target_scales scales_;
    std::map<namespaced_name, shared_entry> known_;
    std::map<std::string, scaled_objects> scaled_;  // by namespace
    std::shared_ptr<informer<inference_scaler>> scalers_;
    std::shared_ptr<informer<target_pod>> pods_;
    store_index by_target_, other_by_target_;
    std::map<std::string, store_index> by_label_;  // of pods
    subscription gone_;
    std::shared_ptr<event_recorder> events_;
    metrics_registry* metrics_;
    metric_histogram wake_seconds_;
};

/// Adds the controller and its metrics to a manager. Errors: those of the builder.
result<void> set_up(manager& m, look_function ask, look_observer told = {}, places_function places = {});

}  // namespace inference_autoscaler

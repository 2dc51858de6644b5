// The pods of a target, as far as the autoscaler reads them, and the other autoscalers that it looks for.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/model/object_meta.hpp>

#include "decide/decision.hpp"

#include <memory>
#include <vector>

namespace inference_autoscaler {

struct pod_container {
    api::core::v1::resource_requirements resources;
    static constexpr auto kcontrol_fields() { return fields(field("resources", &pod_container::resources)); }
};
struct target_pod_spec {
    list<api::core::v1::pod_readiness_gate> readiness_gates;
    dict<text> node_selector;
    list<pod_container> containers;
    static constexpr auto kcontrol_fields() {
        using self = target_pod_spec;
        return fields(field("readinessGates", &self::readiness_gates), field("nodeSelector", &self::node_selector),
                      field("containers", &self::containers));
    }
};

struct target_pod {
    static constexpr resource_name kcontrol_resource{"", "v1", "Pod", "pods"};
    using kcontrol_projection = void;
    object_meta metadata;
    target_pod_spec spec;
    api::core::v1::pod_status status;
    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &target_pod::spec), field("status", &target_pod::status));
    }
};
using target_pods = std::vector<std::shared_ptr<const target_pod>>;

/// A HorizontalPodAutoscaler, or a ScaledObject: what either scales.
struct other_scaler_spec {
    scale_target scale_target_ref;
    static constexpr auto kcontrol_fields() {
        return fields(field("scaleTargetRef", &other_scaler_spec::scale_target_ref));
    }
};
struct horizontal_autoscaler {
    static constexpr resource_name kcontrol_resource{"autoscaling", "v2", "HorizontalPodAutoscaler",
                                                     "horizontalpodautoscalers"};
    using kcontrol_projection = void;
    object_meta metadata;
    other_scaler_spec spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &horizontal_autoscaler::spec)); }
};
struct scaled_object {
    static constexpr resource_name kcontrol_resource{"keda.sh", "v1alpha1", "ScaledObject", "scaledobjects"};
    using kcontrol_projection = void;
    object_meta metadata;
    other_scaler_spec spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &scaled_object::spec)); }
};

/// Whether its readiness waits for the warm-up.
bool has_gate(const target_pod& pod);
/// Whether traffic reaches it.
bool is_ready(const target_pod& pod);
/// Counts the pods in: warm, failed, unplaced, overdue. Those that are being deleted are no more.
void count_pods(const target_pods& pods, const inference_scaler_spec& spec, wall_time now, facts& into);

}  // namespace inference_autoscaler

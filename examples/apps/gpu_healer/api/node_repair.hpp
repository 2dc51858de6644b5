// NodeRepair: one case of one node. Made by the healer, or by a person, who names a node and a policy.
#pragma once

#include <kcontrol/model/condition.hpp>
#include <kcontrol/model/object_meta.hpp>
#include <kcontrol/model/resource.hpp>
#include <kcontrol/schema/crd_options.hpp>

#include <cstdint>
#include <optional>

namespace gpu_healer {

using namespace kcontrol;

/// The condition that was a fault when the case was opened.
struct fault {
    text type, status, reason;
    static constexpr auto kcontrol_fields() {
        return fields(field("type", &fault::type, rules().required().min_length(1)),
                      field("status", &fault::status, rules().required()), field("reason", &fault::reason));
    }
    friend bool operator==(const fault&, const fault&) = default;
};

struct node_repair_spec {
    text node, node_uid, policy, repair;
    std::optional<fault> trigger;  ///< none: a person's, whose steps run on a healthy node, too
    static constexpr auto kcontrol_fields() {
        using self = node_repair_spec;
        constexpr auto required = rules().required().min_length(1).max_length(253);
        return fields(field("node", &self::node, required), field("nodeUID", &self::node_uid),
                      field("policy", &self::policy, required),
                      field("repair", &self::repair, rules().describe("Default: the first of the policy's.")),
                      field("trigger", &self::trigger));
    }
    static constexpr auto kcontrol_rules() {
        return rules().validation("self == oldSelf", "a case's spec can't be changed: delete it and make another");
    }
    friend bool operator==(const node_repair_spec&, const node_repair_spec&) = default;
};

struct timeline_entry {
    timestamp time;
    text what;
    static constexpr auto kcontrol_fields() {
        return fields(field("time", &timeline_entry::time), field("what", &timeline_entry::what));
    }
    friend bool operator==(const timeline_entry&, const timeline_entry&) = default;
};

/// The taint that this case has put on its node, so that it goes whatever becomes of the policy.
struct node_taint {
    text key, value, effect;
    static constexpr auto kcontrol_fields() {
        return fields(field("key", &node_taint::key), field("value", &node_taint::value),
                      field("effect", &node_taint::effect));
    }
    friend bool operator==(const node_taint&, const node_taint&) = default;
};

struct node_repair_status {
    text phase, reason, message, step;
    std::int32_t attempt = 0;  ///< started steps of this case
    text token;                ///< of the step that was begun last, or of the job of verification
    list<timeline_entry> timeline;
    list<status_condition> conditions;
    timestamp phase_time;         ///< when the phase began
    timestamp healthy_time;       ///< since when the node is healthy, as far as seen; none: it is not
    std::int32_t relapses = 0;    ///< of a Suspected case
    std::int32_t step_tries = 0;  ///< starts of the present step
    bool cordoned = false;        ///< the node was unschedulable when it was seen last
    list<timestamp> starts;       ///< of steps
    std::optional<node_taint> taint;
    static constexpr auto kcontrol_fields() {
        using self = node_repair_status;
        return fields(field("phase", &self::phase), field("reason", &self::reason), field("message", &self::message),
                      field("step", &self::step), field("attempt", &self::attempt), field("token", &self::token),
                      field("timeline", &self::timeline, rules().max_items(50).list_type_atomic()),
                      field("conditions", &self::conditions), field("phaseTime", &self::phase_time),
                      field("healthyTime", &self::healthy_time), field("relapses", &self::relapses),
                      field("stepTries", &self::step_tries), field("cordoned", &self::cordoned),
                      field("starts", &self::starts, rules().list_type_atomic()), field("taint", &self::taint));
    }
    friend bool operator==(const node_repair_status&, const node_repair_status&) = default;
};

struct node_repair {
    static constexpr resource_name kcontrol_resource{"healing.kcontrol.dev", "v1alpha1", "NodeRepair", "noderepairs",
                                                     resource_scope::cluster};
    object_meta metadata;
    node_repair_spec spec;
    node_repair_status status;
    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &node_repair::spec, rules().required()), field("status", &node_repair::status));
    }
    static constexpr auto kcontrol_crd() {
        using status_type = node_repair_status;
        return crd()
            .short_names("nr")
            .status()
            .column({"Node", path(&node_repair::spec, &node_repair_spec::node)})
            .column({"Policy", path(&node_repair::spec, &node_repair_spec::policy)})
            .column({"Phase", path(&node_repair::status, &status_type::phase)})
            .column({"Reason", path(&node_repair::status, &status_type::reason)})
            .column({"Step", path(&node_repair::status, &status_type::step)})
            .column({"Age", "date", ".metadata.creationTimestamp"});
    }
    friend bool operator==(const node_repair&, const node_repair&) = default;
};

}  // namespace gpu_healer

// The settings of kube-scheduler's plugins, as KubeSchedulerConfiguration has them.
#pragma once

#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/scheduling/configuration_part.hpp>
#include <kcontrol/scheduling/inter_pod_affinity.hpp>
#include <kcontrol/scheduling/node_resources_balanced_allocation.hpp>
#include <kcontrol/scheduling/node_resources_fit.hpp>
#include <kcontrol/scheduling/pod_topology_spread.hpp>

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling::detail {

// Absent: the file says nothing.
inline result<std::optional<std::vector<resource_weight>>> read_resource_weights(const configuration_part& from) {
    std::optional<std::vector<resource_weight>> out;
    if (!from.member("resources")) return out;
    const auto all = from.list("resources");
    if (!all) return all.error();
    out.emplace();
    for (const auto& each : *all) {
        if (const auto known = each.check_keys({"name", "weight"}); !known) return known.error();
        const auto name = each.text("name");
        if (!name) return name.error();
        if (!*name) return each.wrong("a resource needs a name");
        const auto weight = each.number("weight", 1, 100);
        if (!weight) return weight.error();
        out->emplace_back(**name, weight->value_or(1));
    }
    return out;
}

inline result<node_resources_fit_options> read_fit_args(const configuration_part& args) {
    node_resources_fit_options out;
    if (const auto known = args.check_keys({"scoringStrategy", "ignoredResources", "ignoredResourceGroups"}); !known) {
        return known.error();
    }
    const auto scoring = args.member("scoringStrategy");
    if (const auto known = scoring.check_keys({"type", "resources"}); !known) return known.error();
    const auto type = scoring.text("type");
    if (!type) return type.error();
    if (*type == "MostAllocated") {
        out.strategy(scoring_strategy::most_allocated);
    } else if (*type && *type != "LeastAllocated") {
        return scoring.wrong("type", in_quotes(**type) + " is not one of LeastAllocated, MostAllocated");
    }
    auto resources = read_resource_weights(scoring);
    if (!resources) return resources.error();
    if (*resources) out.resources(std::move(**resources));
    auto ignored = args.texts("ignoredResources");
    if (!ignored) return ignored.error();
    auto groups = args.texts("ignoredResourceGroups");
    if (!groups) return groups.error();
    out.ignored_resources(std::move(*ignored)).ignored_resource_groups(std::move(*groups));
    return out;
}

inline result<inter_pod_affinity_options> read_affinity_args(const configuration_part& args) {
    if (const auto known = args.check_keys({"hardPodAffinityWeight", "ignorePreferredTermsOfExistingPods"}); !known) {
        return known.error();
    }
    inter_pod_affinity_options out;
    const auto weight = args.number("hardPodAffinityWeight", 0, 100);
    if (!weight) return weight.error();
    if (*weight) out.hard_pod_affinity_weight(static_cast<std::int32_t>(**weight));
    const auto ignores = args.flag("ignorePreferredTermsOfExistingPods");
    if (!ignores) return ignores.error();
    out.ignore_preferred_terms_of_existing_pods(ignores->value_or(false));
    return out;
}

inline result<spread_constraint> read_default_constraint(const configuration_part& from) {
    if (const auto known = from.check_keys({"topologyKey", "maxSkew", "whenUnsatisfiable"}); !known) {
        return known.error();
    }
    const auto key = from.text("topologyKey");
    if (!key) return key.error();
    if (!*key) return from.wrong("a constraint needs a topologyKey");
    const auto skew = from.number("maxSkew", 1, std::numeric_limits<std::int32_t>::max());
    if (!skew) return skew.error();
    if (!*skew) return from.wrong("a constraint needs a maxSkew");
    const auto when = from.text("whenUnsatisfiable");
    if (!when) return when.error();
    if (*when != "DoNotSchedule" && *when != "ScheduleAnyway") {
        return from.wrong("whenUnsatisfiable", "one of DoNotSchedule, ScheduleAnyway is expected");
    }
    spread_constraint out;
    out.topology_key = interned_name(**key);
    out.max_skew = static_cast<std::int32_t>(**skew);
    out.is_required = *when == "DoNotSchedule";
    return out;
}

inline result<pod_topology_spread_options> read_spread_args(
    const configuration_part& args, pod_topology_spread_options::default_selector_function default_selector) {
    pod_topology_spread_options out;
    out.default_selector(std::move(default_selector));
    if (const auto known = args.check_keys({"defaultConstraints", "defaultingType"}); !known) return known.error();
    const auto type = args.text("defaultingType");
    if (!type) return type.error();
    const auto from = args.list("defaultConstraints");
    if (!from) return from.error();
    if (*type && *type != "List" && *type != "System") {
        return args.wrong("defaultingType", in_quotes(**type) + " is not one of List, System");
    }
    if (*type != "List") {
        if (!from->empty()) return args.wrong("defaultConstraints", "these need defaultingType: List");
        return out;
    }
    std::vector<spread_constraint> constraints;
    for (const auto& each : *from) {
        auto read = read_default_constraint(each);
        if (!read) return read.error();
        constraints.push_back(std::move(*read));
    }
    out.default_constraints(std::move(constraints));
    return out;
}

}  // namespace kcontrol::scheduling::detail

// The policies: what they have against a pod, and what they add to one. No cluster, no clock.
#pragma once

#include <kcontrol/schema/validate.hpp>

#include "policy/rules.hpp"

#include <string>
#include <vector>

namespace policy_webhook {

/// What a rule has against a pod.
struct finding {
    std::string_view rule;  ///< one of rule_names
    kcontrol::field_error why;

    friend bool operator==(const finding&, const finding&) = default;
};

/// What is known of the cluster.
struct cluster_facts {
    std::int64_t largest_node = 0;       ///< GPUs; 0: no node has any, and gpu-fits says nothing
    std::int64_t used_in_namespace = 0;  ///< by other pods than the one that is looked at
};

/// The GPUs that a pod holds: of its containers and sidecars together, or what its start takes if that is more. Of a
/// sum beyond 64 bits the largest number there is: nobody gets room by asking for too much.
std::int64_t gpus_of(const pod& of, const std::string& resource);
/// Of two numbers that are not negative, likewise.
std::int64_t sum_of_gpus(std::int64_t a, std::int64_t b);

/// All that the rules have against it, but for rules that are off.
std::vector<finding> check(const pod& of, const std::string& ns, const rules& by, const cluster_facts& facts);

/// Those of `now` that `before` had not: an update is not refused for what was wrong already.
std::vector<finding> new_findings(std::vector<finding> now, const std::vector<finding>& before);

/// Adds tolerations and the runtime class to a pod that asks for GPUs and has none.
void add_defaults(pod& to, const rules& by);

}  // namespace policy_webhook

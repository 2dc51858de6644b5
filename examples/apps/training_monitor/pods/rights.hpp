// What the API server of a cluster lets the monitor see beyond jobs.
#pragma once

#include <kcontrol/client/client.hpp>

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor {

/// Whether a right that may be missing is there.
enum class right_state { unknown, given, missing };

struct cluster_rights {
    right_state pods = right_state::unknown;
    right_state events = right_state::unknown;
    right_state usage = right_state::unknown;  ///< of GPUs, where that is asked for
    right_state logs = right_state::unknown;   ///< of the pods in a job's namespace
    right_state yaml = right_state::unknown;   ///< of the jobs of a kind in its namespace
};

/// Of each that is missing, what it is and what it would show.
std::vector<std::string_view> missing_rights(cluster_rights rights);

/// A right to get in one namespace.
struct right_to_get {
    std::string name_space, group, resource, subresource;
};

/// What is sent to ask whether the monitor has the right, and what an answer says.
/// Source: https://kubernetes.io/docs/reference/kubernetes-api/authorization-resources/self-subject-access-review-v1/
std::string access_review(const right_to_get& right);
right_state reviewed(int status, std::string_view answer);

/// Asks the API server (SelfSubjectAccessReview), which every account may. Unknown where it does not answer.
/// Await it on the executor of `from`.
kcontrol::awaitable<right_state> ask_right(kcontrol::client from, right_to_get right, std::stop_token stop);

}  // namespace training_monitor

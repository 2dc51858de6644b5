// The decoded metav1.Status of a failed request: what the API server itself said.
#pragma once

#include <kcontrol/base/chrono.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// One cause of a Status (`details.causes`): which field is wrong and why.
struct status_cause {
    std::string reason;   ///< for programs, such as "FieldValueInvalid"; may be empty
    std::string message;  ///< for people; may be empty
    std::string field;    ///< its path in the JSON, such as "spec.replicas"; empty where no field is to blame
};

/// A metav1.Status. Server text may contain user data: escape it before it reaches a terminal.
/// Source: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/
struct api_status {
    /// A server that asks for more patience than this is taken to ask for this.
    static constexpr std::chrono::seconds max_retry_after{120};

    int code = 0;                                     ///< HTTP status, or the code inside an ERROR event of a watch
    std::string reason;                               ///< "NotFound", "Expired"…; empty where the server gave none
    std::string message;                              ///< the server's own words
    std::vector<status_cause> causes;                 ///< details.causes; empty where the server gave none
    std::optional<std::chrono::seconds> retry_after;  ///< header Retry-After, or details.retryAfterSeconds
};

}  // namespace kcontrol

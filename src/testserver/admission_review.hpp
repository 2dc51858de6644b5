// The words that an API server and its webhooks exchange: AdmissionReview and ConversionReview, and what is made of
// answers that are none. Pure.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/http/message.hpp>

#include "testserver/admission_hooks.hpp"

#include <optional>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// What a webhook is asked about a request: the same members are a condition's `request`. `version`: in which it sees
/// the object.
json::object admission_request(const admission_attributes& about, const std::string& version, const std::string& uid);

/// The AdmissionReview that a webhook is asked with; null objects are said to be null.
std::string admission_review_body(const admission_hook& hook, json::object request, const json::value& object,
                                  const json::value& old);

/// What a webhook said.
class admission_review_response {
public:
    bool allowed = false;               ///< false, too, if the answer does not say
    std::optional<json::value> status;  ///< of a refusal, if it gave one
    std::vector<std::string> warnings;  ///< for the Warning headers of the server's answer
    std::string patch;                  ///< JSON, or empty
    std::string patch_type;             ///< "JSONPatch" is the only one known; of v1beta1 always that
};

/// Reads the answer to a question with that uid. Errors: what Kubernetes says behind `failed calling webhook "x": `.
result<admission_review_response> parse_admission_review(const admission_hook& hook, const std::string& uid,
                                                         const http::response& answer);

/// `admission webhook "x" denied the request: …`, with the code and the details that the webhook gave.
failure denied_by(const std::string& hook, const std::optional<json::value>& status);

/// `failed calling webhook "x": …`
std::string failed_calling(const std::string& hook, const std::string& why);

/// 500, "Internal error occurred: " and why.
failure internal_failure(const std::string& why);

/// What client-go says of a call that brought no answer. `asked`: the whole URL.
std::string call_problem(const error& why, const webhook_client& whom, const std::string& asked,
                         const std::string& host_and_port);

/// The ConversionReview that asks for an object in another version.
std::string conversion_review_body(const conversion_webhook& hook, const std::string& uid,
                                   const std::string& wanted_api_version, json::array objects);

/// The converted objects, as many as were sent, in order; their metadata is that of the originals but for labels and
/// annotations. Errors: what Kubernetes says of an answer that breaks the rules.
result<json::array> parse_conversion_review(const conversion_webhook& hook, const json::array& originals,
                                            const std::string& uid, const std::string& wanted_api_version,
                                            const http::response& answer);

}  // namespace kcontrol::testing

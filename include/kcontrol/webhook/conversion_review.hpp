// What an API server asks of a conversion webhook, and what it is told.
#pragma once

#include <kcontrol/webhook/kind_conversion.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1 {

/// The request of a ConversionReview of apiextensions.k8s.io/v1. Its objects are places in the parsed text, which this
/// keeps.
///
/// Source: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/.
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class conversion_request {
public:
    std::string uid;                               ///< of the request; the answer repeats it
    std::string desired_version;                   ///< "example.com/v1"
    std::vector<json::node> objects;               ///< of any version, in the order in which they are answered
    std::shared_ptr<const json::document> parsed;  ///< what the objects are places of
};

/// Reads one. Errors: decode_failed, naming the path of the member.
KCONTROL_DECL result<conversion_request> decode_conversion_review(std::string_view text);

/// Converts one object of a request by that of `kinds` which it is of. Errors name the object's place:
/// `request.objects[3]: …`.
KCONTROL_DECL result<std::string> convert_one(const std::vector<kind_conversion>& kinds, const conversion_request& of,
                                              std::size_t place);

/// The ConversionReview of the response: all objects in their order, or the one reason why not. A review knows no half
/// success.
KCONTROL_DECL std::string conversion_review_response(const conversion_request& to,
                                                     const result<std::vector<std::string>>& made);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/webhook/impl/conversion_review.ipp>
#endif

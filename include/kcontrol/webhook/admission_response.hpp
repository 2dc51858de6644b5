// The answer to an admission request, and its AdmissionReview.
#pragma once

#include <kcontrol/webhook/admission_request.hpp>
#include <kcontrol/webhook/admission_verdict.hpp>

#include <string>

namespace kcontrol::inline v0_1 {

/// What goes back to the API server for one request.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class admission_response {
public:
    admission_response() = default;
    explicit admission_response(admission_verdict v) : verdict(std::move(v)) {}  ///< without a patch

    admission_verdict verdict;  ///< by default the request is let through
    std::string patch;  ///< a JSON Patch as text; empty: nothing is changed. Counts only where the verdict allows
};

/// The AdmissionReview of admission.k8s.io/v1 that answers `to`. Causes come as the API server's own validation words
/// them: status 422, reason Invalid, `CronTab.example.com "nightly" is invalid: spec.schedule: Invalid value: …`, and
/// each in `details.causes`.
KCONTROL_DECL std::string to_json(const admission_response& answer, const admission_request& to);

/// A metav1.Status that says a failure, for requests that are none: the API server shows its message.
KCONTROL_DECL std::string failure_status_json(int code, std::string_view reason, std::string_view message);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/webhook/impl/admission_response.ipp>
#endif

// From the JSON an API server would send to the job the monitor shows.
#pragma once

#include <kcontrol/codec/codec.hpp>
#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/model/metadata_fields.hpp>

#include "jobs/observe.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace training_monitor::tests {

/// One condition as JSON. Conditions of one test are joined by commas.
inline std::string condition(std::string_view type, std::string_view status, std::string_view reason = "",
                             std::string_view time = "2026-11-21T07:00:00Z") {
    std::string out = R"({"type":")";
    out.append(type).append(R"(","status":")").append(status).append(R"(","reason":")").append(reason);
    return out.append(R"(","message":"because","lastTransitionTime":")").append(time).append(R"("})");
}

/// `conditions` is a list without brackets, `status` and `spec` are further members without braces.
template <class Job>
observed_job observed(std::string_view spec, std::string_view conditions, std::string_view status = "",
                      std::string_view metadata = "") {
    std::string text = R"({"metadata":{"name":"j","namespace":"ml","uid":"u1","resourceVersion":"7",)"
                       R"("creationTimestamp":"2026-11-21T06:00:00Z")";
    if (!metadata.empty()) text.append(",").append(metadata);
    text.append(R"(},"spec":{)").append(spec).append(R"(},"status":{"conditions":[)").append(conditions).append("]");
    if (!status.empty()) text.append(",").append(status);
    text.append("}}");
    const auto job = kcontrol::from_json<Job>(text);
    REQUIRE_MESSAGE(job.has_value(), text, (job ? std::string() : job.error().what()));
    return observe(*job, "a");
}

}  // namespace training_monitor::tests

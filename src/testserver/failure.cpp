#include <kcontrol/testing/failure.hpp>

#include "testserver/failure_parts.hpp"

#include <algorithm>

namespace kcontrol::inline v0_1::testing {

json::value failure::status() const {
    json::object status;
    status["kind"] = "Status";
    status["apiVersion"] = "v1";
    json::object& metadata = status["metadata"].emplace_object();
    if (!continue_token.empty()) metadata["continue"] = continue_token;
    status["status"] = "Failure";
    status["message"] = message;
    if (!reason.empty()) status["reason"] = reason;
    if (details) status["details"] = *details;
    status["code"] = code;
    return status;
}

error failure::to_error() const {
    api_status status;
    status.code = code;
    status.reason = reason;
    status.message = message;
    return error(std::move(status));
}

failure failure::not_found(const group_resource& what, std::string_view name) {
    return detail::make_failure(404, "NotFound", what.text() + " " + detail::in_quotes(name) + " not found",
                                detail::details_of(what, name));
}

failure failure::already_exists(const group_resource& what, std::string_view name) {
    return detail::make_failure(409, "AlreadyExists", what.text() + " " + detail::in_quotes(name) + " already exists",
                                detail::details_of(what, name));
}

failure failure::conflict(const group_resource& what, std::string_view name, std::string_view why) {
    std::string text = "Operation cannot be fulfilled on " + what.text() + " " + detail::in_quotes(name) + ": ";
    return detail::make_failure(409, "Conflict", text.append(why), detail::details_of(what, name));
}

failure failure::modified(const group_resource& what, std::string_view name) {
    return conflict(what, name,
                    "the object has been modified; please apply your changes to the latest version and try again");
}

failure failure::bad_request(std::string message) { return failure(400, "BadRequest", std::move(message)); }

failure failure::invalid(const group_resource& kind, std::string_view name, std::string_view field,
                         std::string_view cause, std::string_view problem) {
    return invalid(kind, name, {field_problem(std::string(field), cause, std::string(problem))});
}

// As in Kubernetes each problem is a cause, and the message says none twice.
failure failure::invalid(const group_resource& kind, std::string_view name,
                         const std::vector<field_problem>& problems) {
    json::array causes;
    std::vector<std::string> texts;
    for (const auto& problem : problems) {
        json::object entry;
        entry["reason"] = problem.cause;
        entry["message"] = problem.text;
        entry["field"] = problem.field;
        causes.push_back(std::move(entry));
        std::string text = problem.field + ": " + problem.text;
        if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
    }
    json::object details = detail::details_of(kind, name);
    details["causes"] = std::move(causes);
    std::string text = kind.text() + " " + detail::in_quotes(name) + " is invalid: ";
    if (texts.size() > 1) text += "[";
    for (std::size_t i = 0; i < texts.size(); ++i) text.append(i == 0 ? "" : ", ").append(texts[i]);
    if (texts.size() > 1) text += "]";
    return detail::make_failure(422, "Invalid", std::move(text), std::move(details));
}

failure failure::unprocessable() {
    return detail::make_failure(422, "Invalid", "the server rejected our request due to an error in our request", {});
}

failure failure::expired(std::string message) { return failure(410, "Expired", std::move(message)); }

failure failure::too_large_version(std::uint64_t wanted, std::uint64_t current) {
    json::object cause;
    cause["reason"] = "ResourceVersionTooLarge";
    cause["message"] = "Too large resource version";
    json::object details;
    details["causes"] = json::array({std::move(cause)});
    details["retryAfterSeconds"] = 1;
    return detail::make_failure(
        504, "Timeout",
        "Timeout: Too large resource version: " + std::to_string(wanted) + ", current: " + std::to_string(current),
        std::move(details));
}

failure failure::unauthorized() { return failure(401, "Unauthorized", "Unauthorized"); }

failure failure::forbidden(const group_resource& what, std::string_view name, std::string_view why) {
    std::string text = what.text();
    if (!name.empty()) text += " " + detail::in_quotes(name);
    text.append(" is forbidden: ").append(why);
    return detail::make_failure(403, "Forbidden", std::move(text), detail::details_of(what, name));
}

failure failure::method_not_allowed() {
    return detail::make_failure(405, "MethodNotAllowed",
                                "the server does not allow this method on the requested resource", {});
}

failure failure::unsupported_media_type(std::string_view accepted) {
    std::string text = "the body of the request was in an unknown format - accepted media types include: ";
    return failure(415, "UnsupportedMediaType", text.append(accepted));
}

failure failure::not_acceptable(bool streams) {
    std::string text =
        "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, "
        "application/vnd.kubernetes.protobuf";
    if (streams) text += ", application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
    return detail::make_failure(406, "NotAcceptable", std::move(text), {});
}

[[noreturn]] void throw_exception_from_error(const failure& f) { throw exception(f.to_error()); }

}  // namespace kcontrol::testing

#include "testserver/admission_review.hpp"

#include <kcontrol/base/base64.hpp>
#include <kcontrol/testing/failure.hpp>

#include "testserver/admission_hooks.hpp"
#include "testserver/failure_parts.hpp"
#include "testserver/json_values.hpp"

#include <utility>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

json::object group_version_of(const std::string& group, const std::string& version, const char* member,
                              const std::string& last) {
    json::object out;
    out["group"] = group;
    out["version"] = version;
    out[member] = last;
    return out;
}

// client-go's words for a status code. Source: apimachinery, pkg/api/errors, NewGenericServerResponse.
std::string problem_of_status(const http::response& answer) {
    const std::string_view type = answer.headers.get("Content-Type");
    const bool is_text = type.empty() || type.substr(0, 5) == "text/";
    std::string said = is_text ? answer.body.substr(0, 2048) : "unknown";
    while (!said.empty() && (said.back() == '\n' || said.back() == ' ')) said.pop_back();
    if (!is_text) {
        const auto status = json::parse(answer.body);
        if (status && json::get_string(*status, {"kind"}) == "Status") {
            return std::string(json::get_string(*status, {"message"}));
        }
    }
    switch (answer.status) {
    case 400: return "the server rejected our request for an unknown reason";
    case 401: return "the server has asked for the client to provide credentials";
    case 403:
    case 415: return said;
    case 404: return "the server could not find the requested resource";
    case 405: return "the server does not allow this method on the requested resource";
    case 406: return said;
    case 409: return "the server reported a conflict";
    case 410: return "the requested resource is no longer available";
    case 413: return "Request entity too large: " + said;
    case 422: return "the server rejected our request due to an error in our request";
    case 429: return "the server has received too many requests and has asked us to try again later";
    case 503: return "the server is currently unable to handle the request";
    case 504:
        return "the server was unable to return a response in the time allotted, but may still be processing the "
               "request";
    default: break;
    }
    if (answer.status >= 500) {
        return "an error on the server (" + go_quoted(said) + ") has prevented the request from succeeding";
    }
    return "the server responded with the status code " + std::to_string(answer.status) +
           " but did not return more information";
}

error unread_answer(std::string why) { return error(errc::invalid_argument, std::move(why)); }

// A body as the review that was asked for, or client-go's words. What says of no kind or version is taken for it.
result<json::value> read_review(const http::response& answer, const std::string& api_version, const std::string& kind) {
    if (answer.status < 200 || answer.status > 206) return unread_answer(problem_of_status(answer));
    if (answer.body.empty()) {
        return unread_answer("0-length response with status code: " + std::to_string(answer.status) +
                             " and content type: " + std::string(answer.headers.get("Content-Type")));
    }
    auto body = json::parse(answer.body);
    if (!body || !body->is_object()) {  // what is no JSON is YAML to a real server, and most of it a string
        const std::string type = body && body->is_array() ? "array" : body && body->is_number() ? "number" : "string";
        return unread_answer("couldn't get version/kind; json parse error: json: cannot unmarshal " + type +
                             R"( into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; )" +
                             R"(Kind string "json:\"kind,omitempty\"" })");
    }
    const std::string said_version(json::get_string(*body, {"apiVersion"}));
    const std::string said_kind(json::get_string(*body, {"kind"}));
    const std::string group = api_version.substr(0, api_version.find('/') + 1);
    if (!said_kind.empty() && (said_kind != kind || said_version.rfind(group, 0) != 0)) {
        return unread_answer("no kind " + go_quoted(said_kind) + " is registered for version " +
                             go_quoted(said_version) + R"( in scheme "pkg/runtime/scheme.go:111")");
    }
    if (!said_version.empty() && said_version != api_version) {
        const auto shown = [&](const std::string& whole) {
            return "(" + whole.substr(group.size()) + "." + kind + ")";
        };
        return unread_answer("converting " + shown(said_version) + " to " + shown(api_version) +
                             ": unknown conversion");
    }
    return std::move(*body);
}

error invalid_answer(const std::string& why) {
    return error(errc::invalid_argument, "received invalid webhook response: " + why);
}

// A patch and its type come together, and from mutating webhooks only.
result<std::string> read_review_patch(const admission_hook& hook, const json::value& response) {
    const std::string_view encoded = json::get_string(response, {"patch"});
    const json::value* type = json::find(response, {"patchType"});
    const bool has_type = type != nullptr && !type->is_null();
    if (!hook.mutating) {
        if (hook.review_version == "v1beta1") return std::string();
        if (!encoded.empty()) return invalid_answer("validating webhook may not return response.patch");
        if (has_type) return invalid_answer("validating webhook may not return response.patchType");
        return std::string();
    }
    if (hook.review_version != "v1beta1") {
        if (!encoded.empty() && !has_type) {
            return invalid_answer("webhook returned response.patch but not response.patchType");
        }
        if (encoded.empty() && has_type) {
            return invalid_answer("webhook returned response.patchType but not response.patch");
        }
        if (has_type && json::get_string(response, {"patchType"}).empty()) {
            return invalid_answer("webhook returned invalid response.patchType of \"\"");
        }
    }
    auto patch = decode_base64(encoded);
    if (!patch) {
        return error(errc::invalid_argument, "failed to call webhook: illegal base64 data in response.patch");
    }
    return std::move(*patch);
}

}  // namespace
}  // namespace detail

json::object admission_request(const admission_attributes& about, const std::string& version, const std::string& uid) {
    const bool own_kind = about.kind_group == about.resource.group && about.kind_version == about.version;
    json::object out;
    out["uid"] = uid;
    out["kind"] =
        detail::group_version_of(about.kind_group, own_kind ? version : about.kind_version, "kind", about.kind);
    out["resource"] = detail::group_version_of(about.resource.group, version, "resource", about.resource.resource);
    if (!about.subresource.empty()) out["subResource"] = about.subresource;
    out["requestKind"] = detail::group_version_of(about.kind_group, about.kind_version, "kind", about.kind);
    out["requestResource"] =
        detail::group_version_of(about.resource.group, about.version, "resource", about.resource.resource);
    if (!about.subresource.empty()) out["requestSubResource"] = about.subresource;
    if (!about.name.empty()) out["name"] = about.name;
    if (!about.namespace_.empty()) out["namespace"] = about.namespace_;
    out["operation"] = about.operation;
    json::object& user = out["userInfo"].emplace_object();
    user["username"] = about.user.name;
    if (!about.user.uid.empty()) user["uid"] = about.user.uid;
    json::array& groups = user["groups"].emplace_array();
    for (const auto& group : about.user.groups) groups.push_back(json::value(group));
    for (const auto& [name, values] : about.user.extra) {
        json::value& extra = user["extra"];
        if (!extra.is_object()) extra = json::object();
        json::array& listed = extra.get_object()[name].emplace_array();
        for (const auto& one : values) listed.push_back(json::value(one));
    }
    out["dryRun"] = about.dry_run;
    out["options"] = about.options;
    return out;
}

std::string admission_review_body(const admission_hook& hook, json::object request, const json::value& object,
                                  const json::value& old) {
    request["object"] = object;
    request["oldObject"] = old;
    json::object out;
    out["kind"] = "AdmissionReview";
    out["apiVersion"] = "admission.k8s.io/" + hook.review_version;
    out["request"] = std::move(request);
    return json::serialize(json::value(std::move(out)));
}

result<admission_review_response> parse_admission_review(const admission_hook& hook, const std::string& uid,
                                                         const http::response& answer) {
    const auto review = detail::read_review(answer, "admission.k8s.io/" + hook.review_version, "AdmissionReview");
    if (!review) return error(errc::invalid_argument, "failed to call webhook: " + review.error().message());
    const json::value* response = json::find(*review, {"response"});
    if (response == nullptr || !response->is_object()) {
        return detail::invalid_answer("webhook response was absent");
    }
    if (hook.review_version == "v1") {
        const std::string_view said = json::get_string(*response, {"uid"});
        if (said != uid) {
            return detail::invalid_answer("expected response.uid=" + detail::go_quoted(uid) + ", got " +
                                          detail::go_quoted(said));
        }
    }
    auto patch = detail::read_review_patch(hook, *response);
    if (!patch) return patch.error();
    admission_review_response out;
    out.patch = std::move(*patch);
    out.patch_type = json::get_string(*response, {"patchType"});
    if (hook.review_version == "v1beta1") out.patch_type = "JSONPatch";
    const json::value* allowed = json::find(*response, {"allowed"});
    out.allowed = allowed != nullptr && *allowed == true;
    if (const json::value* status = json::find(*response, {"status"})) out.status = *status;
    out.warnings = detail::strings_of(json::find(*response, {"warnings"}));
    return out;
}

failure denied_by(const std::string& hook, const std::optional<json::value>& status) {
    failure out;
    out.code = 400;
    const json::value none;
    const json::value& said = status ? *status : none;
    const json::value* code = json::find(said, {"code"});
    if (code != nullptr && code->is_int64() && code->get_int64() >= 400) {
        out.code = static_cast<int>(code->get_int64());
    }
    out.reason = json::get_string(said, {"reason"});
    const std::string message(json::get_string(said, {"message"}));
    out.message = "admission webhook " + detail::in_quotes(hook) + " denied the request";
    if (!message.empty()) {
        out.message += ": " + message;
    } else {
        out.message += out.reason.empty() ? std::string(" without explanation") : ": " + out.reason;
    }
    const json::value* details = json::find(said, {"details"});
    if (details != nullptr && details->is_object()) out.details = details->get_object();
    return out;
}

std::string failed_calling(const std::string& hook, const std::string& why) {
    return "failed calling webhook " + detail::in_quotes(hook) + ": " + why;
}

failure internal_failure(const std::string& why) {
    json::object cause;
    cause["message"] = why;
    json::object details;
    details["causes"] = json::array({std::move(cause)});
    return detail::make_failure(500, "InternalError", "Internal error occurred: " + why, std::move(details));
}

std::string call_problem(const error& why, const webhook_client& whom, const std::string& asked,
                         const std::string& host_and_port) {
    std::string said = why.what();
    if (why == errc::timeout) said = "context deadline exceeded";
    if (why == errc::connection_refused) said = "dial tcp " + host_and_port + ": connect: connection refused";
    if (why == errc::connection_lost || why == errc::unknown_outcome || why == errc::truncated) said = "EOF";
    const bool strange = said.find("issuer") != std::string::npos || said.find("self-signed") != std::string::npos;
    if (why == errc::tls_failed && strange) {
        said = "tls: failed to verify certificate: x509: certificate signed by unknown authority";
    }
    if (why == errc::name_not_found && whom.url.empty()) {
        said = "service " + detail::go_quoted(whom.service_name) + " not found";
    } else if (why == errc::name_not_found) {
        said = "dial tcp: lookup " + host_and_port.substr(0, host_and_port.rfind(':')) + ": no such host";
    }
    return "Post " + detail::go_quoted(asked) + ": " + said;
}

namespace detail {
namespace {

std::string conversion_review_version(const conversion_webhook& hook) {
    for (const auto& one : hook.review_versions) {
        if (one == "v1" || one == "v1beta1") return "apiextensions.k8s.io/" + one;
    }
    return "apiextensions.k8s.io/v1";
}

}  // namespace
}  // namespace detail

std::string conversion_review_body(const conversion_webhook& hook, const std::string& uid,
                                   const std::string& wanted_api_version, json::array objects) {
    json::object request;
    request["uid"] = uid;
    request["desiredAPIVersion"] = wanted_api_version;
    request["objects"] = std::move(objects);
    json::object out;
    out["kind"] = "ConversionReview";
    out["apiVersion"] = detail::conversion_review_version(hook);
    out["request"] = std::move(request);
    out["response"] = nullptr;
    return json::serialize(json::value(std::move(out)));
}

namespace detail {
namespace {

// What a conversion may not change, and what is put back. Source: apiextensions-apiserver, webhook_converter.go.
result<void> settle_converted(const json::value& original, std::size_t index, const std::string& wanted,
                              json::value& converted) {
    const auto refuse = [](const std::string& what) { return error(errc::invalid_argument, what); };
    const std::string got(json::get_string(converted, {"apiVersion"}));
    if (got != wanted) {
        return refuse("returned invalid object at index " + std::to_string(index) +
                      ": invalid groupVersion (expected " + wanted + ", received " + got + ")");
    }
    const std::pair<const char*, const char*> fixed[] = {{"name", "name"}, {"namespace", "namespace"}, {"UID", "uid"}};
    const auto must_stay = [&refuse](const char* shown, std::string_view before, std::string_view after) {
        if (before == after) return result<void>();
        return result<void>(refuse("returned invalid object: must have the same " + std::string(shown) + ": " +
                                   std::string(before) + " != " + std::string(after)));
    };
    auto stayed = must_stay("kind", json::get_string(original, {"kind"}), json::get_string(converted, {"kind"}));
    if (!stayed) return stayed;
    for (const auto& [shown, name] : fixed) {
        stayed = must_stay(shown, json::get_string(original, {"metadata", name}),
                           json::get_string(converted, {"metadata", name}));
        if (!stayed) return stayed;
    }
    json::object metadata;
    if (const json::value* found = json::find(original, {"metadata"}); found != nullptr && found->is_object()) {
        metadata = found->get_object();
    }
    for (const std::string_view changeable : {"labels", "annotations"}) {
        metadata.erase(changeable);
        const json::value* found = json::find(converted, {"metadata", changeable});
        if (found != nullptr && !found->is_null()) metadata[changeable] = *found;
    }
    converted.get_object()["metadata"] = std::move(metadata);
    return {};
}

}  // namespace
}  // namespace detail

result<json::array> parse_conversion_review(const conversion_webhook& hook, const json::array& originals,
                                            const std::string& uid, const std::string& wanted_api_version,
                                            const http::response& answer) {
    const std::string asked_api_version = detail::conversion_review_version(hook);
    const auto refuse = [](const std::string& what) { return error(errc::invalid_argument, what); };
    auto review = detail::read_review(answer, asked_api_version, "ConversionReview");
    if (!review) return refuse("failed: " + review.error().message());
    const json::value* response = json::find(*review, {"response"});
    if (response == nullptr || !response->is_object()) return refuse("failed: no response provided");
    const std::string said(json::get_string(*response, {"uid"}));
    if (said != uid) {
        return refuse("failed: expected response.uid=" + detail::go_quoted(uid) + ", got " + detail::go_quoted(said));
    }
    const std::string status(json::get_string(*response, {"result", "status"}));
    if (status != "Success") {
        const std::string message(json::get_string(*response, {"result", "message"}));
        return refuse("failed: " +
                      (message.empty() ? "response.result.status was '" + status + "', expected 'Success'" : message));
    }
    const json::value* given = json::find(*response, {"convertedObjects"});
    json::array out = given != nullptr && given->is_array() ? given->get_array() : json::array();
    if (out.size() != originals.size()) {
        return refuse("returned " + std::to_string(out.size()) + " objects, expected " +
                      std::to_string(originals.size()));
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (!out[i].is_object()) return refuse("failed: an object that was returned is no object");
        auto settled = detail::settle_converted(originals[i], i, wanted_api_version, out[i]);
        if (!settled) return settled.error();
    }
    return out;
}

}  // namespace kcontrol::testing

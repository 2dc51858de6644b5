// Reviews and TokenRequests: who may do what, and who sends a request.
#include "testserver/request_access.hpp"
#include "testserver/responses.hpp"
#include "testserver/timestamp.hpp"
#include "testserver/write_request.hpp"

#include <algorithm>

namespace kcontrol::inline v0_1::testing::detail {
namespace {

request_info request_of_review(const json::value& spec) {
    request_info out;
    const auto said = [&spec](std::string_view name) {
        return std::string(json::get_string(spec, {"resourceAttributes", name}));
    };
    out.is_resource = json::find(spec, {"resourceAttributes"}) != nullptr;
    if (!out.is_resource) {
        out.path = json::get_string(spec, {"nonResourceAttributes", "path"});
        out.verb = json::get_string(spec, {"nonResourceAttributes", "verb"});
        return out;
    }
    out.verb = said("verb");
    out.group = said("group");
    out.version = said("version");
    out.namespace_ = said("namespace");
    out.resource = said("resource");
    out.name = said("name");
    out.subresource = said("subresource");
    return out;
}

outcome<void> check_review(const request_info& info, const json::value& body) {
    const json::value nothing = json::object();
    const json::value* found = json::find(body, {"spec"});
    const json::value& spec = found == nullptr ? nothing : *found;
    std::vector<field_problem> problems;
    const auto refuse = [&problems](std::string_view field, const json::value& shown, std::string_view why) {
        problems.emplace_back(std::string(field), "FieldValueInvalid",
                              "Invalid value: " + json::serialize(shown) + ": " + std::string(why));
    };
    const json::value* of_resource = json::find(spec, {"resourceAttributes"});
    const json::value* of_path = json::find(spec, {"nonResourceAttributes"});
    json::value path;
    if (of_path != nullptr) {
        json::object& shown = path.emplace_object();
        shown["Path"] = json::get_string(*of_path, {"path"});
        shown["Verb"] = json::get_string(*of_path, {"verb"});
    }
    if ((of_resource == nullptr) == (of_path == nullptr)) {
        refuse("spec", path, "exactly one of nonResourceAttributes or resourceAttributes must be specified");
    }
    if (info.resource != "selfsubjectaccessreviews" && json::get_string(spec, {"user"}).empty() &&
        json::find(spec, {"groups"}) == nullptr) {
        refuse("spec.user", "", "at least one of user or group must be specified");
    }
    if (info.resource == "localsubjectaccessreviews") {
        const std::string_view ns = json::get_string(spec, {"resourceAttributes", "namespace"});
        if (of_resource != nullptr && ns != info.namespace_) {
            refuse("spec.resourceAttributes.namespace", json::value(ns), "must match metadata.namespace");
        }
        if (of_path != nullptr) refuse("spec.nonResourceAttributes", path, "disallowed on this kind of request");
    }
    if (problems.empty()) return {};
    return failure::invalid(group_resource("authorization.k8s.io", ""), "", problems);  // as a real one: without a kind
}

}  // namespace

bool answers_review(const request_info& info) {
    if (info.verb != "create") return false;
    if (info.group == "authentication.k8s.io") {
        return info.resource == "selfsubjectreviews" || info.resource == "tokenreviews";
    }
    return info.group == "authorization.k8s.io" &&
           (info.resource == "selfsubjectrulesreviews" || info.resource == "selfsubjectaccessreviews" ||
            info.resource == "subjectaccessreviews" || info.resource == "localsubjectaccessreviews");
}

namespace {

json::array array_of(const std::vector<std::string>& all) {
    json::array out;
    for (const auto& one : all) out.push_back(json::value(one));
    return out;
}

json::object user_info(const requester& user) {
    json::object out;
    out["username"] = user.name;
    if (!user.uid.empty()) out["uid"] = user.uid;
    out["groups"] = array_of(user.groups);
    if (user.extra.empty()) return out;
    json::object& extra = out["extra"].emplace_object();
    for (const auto& [name, values] : user.extra) extra[name] = array_of(values);
    return out;
}

// The answer repeats the token, as a real server's does.
json::object status_of_token(const access_control& access, token_verdict verdict, const json::value& review) {
    const auto wanted = strings_of(json::find(review, {"spec", "audiences"}));
    const std::string server(token_issuer);
    // A token of access() is for the server itself, as those of a real server's token file are.
    const bool for_server = wanted.empty() || std::find(wanted.begin(), wanted.end(), server) != wanted.end();
    if (!verdict.known && for_server) {
        if (const auto user = access.user_of(json::get_string(review, {"spec", "token"}))) {
            verdict.user = requester(*user, {});
            verdict.audiences = {server};
        }
    }
    json::object status, shown;
    if (verdict.user) {
        verdict.user->groups = access.groups_of(verdict.user->name);
        shown = user_info(*verdict.user);
        status["authenticated"] = true;
    } else {
        status["error"] =
            verdict.problem.empty() ? "invalid bearer token" : "[invalid bearer token, " + verdict.problem + "]";
    }
    status["user"] = std::move(shown);
    if (verdict.user && !verdict.audiences.empty()) status["audiences"] = array_of(verdict.audiences);
    return status;
}

// Whom a SubjectAccessReview is about.
requester requester_of(const json::value& spec) {
    return requester(std::string(json::get_string(spec, {"user"})), strings_of(json::find(spec, {"groups"})));
}

// Where nobody looks at Roles everything may be done, but for what access() forbids, which is no list of rules.
json::object rules_without_roles() {
    json::object resources, paths, status;
    for (const char* list : {"verbs", "apiGroups", "resources"}) resources[list] = json::array({"*"});
    for (const char* list : {"verbs", "nonResourceURLs"}) paths[list] = json::array({"*"});
    status["resourceRules"].emplace_array().push_back(std::move(resources));
    status["nonResourceRules"].emplace_array().push_back(std::move(paths));
    status["incomplete"] = true;
    return status;
}

}  // namespace

outcome<http::response> request_access::answer_review(const http::server_request& request, const request_info& info,
                                                      const resource_type& type) const {
    auto body = parse_body(request, type);
    if (!body) return body.error();
    const auto user = identify(request);
    if (!user) return user.error();
    json::object& review = body->get_object();
    json::object status;
    if (info.resource == "tokenreviews") {
        auto verdict = tokens_.judge(json::get_string(*body, {"spec", "token"}), store_, env_.wall_now(),
                                     strings_of(json::find(*body, {"spec", "audiences"})));
        status = status_of_token(rules_, std::move(verdict), *body);
    } else if (info.group == "authentication.k8s.io") {
        status["userInfo"] = user_info(*user);
    } else if (info.resource == "selfsubjectrulesreviews") {
        const std::string ns(json::get_string(*body, {"spec", "namespace"}));
        if (ns.empty()) return failure::bad_request("no namespace on request");
        status = enforces_rbac_ ? rules_of_requester(store_, *user, ns) : rules_without_roles();
        review["spec"] = json::object();
    } else {
        if (auto checked = check_review(info, *body); !checked) return checked.error();
        const json::value& spec = review.at("spec");
        const bool own = info.resource == "selfsubjectaccessreviews";
        const requester who = own ? *user : requester_of(spec);
        const request_info wish = request_of_review(spec);
        const auto unless_forbidden = rules_.authorize(who.name, wish);
        const role_verdict verdict =
            enforces_rbac_ && unless_forbidden ? judge_by_roles(store_, who, wish) : role_verdict();
        status["allowed"] = enforces_rbac_ ? verdict.allowed : unless_forbidden.has_value();
        if (!unless_forbidden) status["reason"] = unless_forbidden.error().message;
        if (!verdict.reason.empty()) status["reason"] = verdict.reason;
    }
    review["kind"] = type.kind;
    review["apiVersion"] = type.api_version(info.version);
    if (!review["metadata"].is_object()) review["metadata"] = json::object();
    review["status"] = std::move(status);
    return json_answer(201, *body);
}

outcome<http::response> request_access::answer_token(const http::server_request& request, const request_info& info) {
    auto body = parse_document(request, "couldn't read the TokenRequest: ");
    if (!body) return body.error();
    json::value spec = json::object();
    if (const json::value* given = json::find(*body, {"spec"}); given != nullptr && given->is_object()) spec = *given;
    const auto order = order_token(store_, {info.namespace_, info.name}, spec);
    if (!order) return order.error();
    const auto dry_run = dry_run_of(info.parameter("dryRun"), "CreateOptions");
    if (!dry_run) return dry_run.error();
    const wall_time now = env_.wall_now();
    json::object metadata;
    metadata["name"] = info.name;
    metadata["namespace"] = info.namespace_;
    metadata["uid"] = json::get_string(order->account, {"metadata", "uid"});
    metadata["creationTimestamp"] = format_timestamp(now);
    json::array audiences;
    for (const auto& one : order->audiences) audiences.push_back(json::value(one));
    json::object& shown = spec.get_object();
    shown["audiences"] = std::move(audiences);
    shown["expirationSeconds"] = order->seconds;
    if (!shown.contains("boundObjectRef")) shown["boundObjectRef"] = nullptr;
    json::object status;
    status["token"] = *dry_run ? std::string() : tokens_.issue(*order, env_);
    status["expirationTimestamp"] = format_timestamp(now + std::chrono::seconds(order->seconds));
    json::object out;
    out["kind"] = "TokenRequest";
    out["apiVersion"] = "authentication.k8s.io/v1";
    out["metadata"] = std::move(metadata);
    out["spec"] = std::move(spec);
    out["status"] = std::move(status);
    return json_answer(201, json::value(std::move(out)));
}

}  // namespace kcontrol::testing::detail

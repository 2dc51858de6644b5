// Reviews: who may do what, and who asks.
#pragma once

#include <kcontrol/apiserver/api_server_core.hpp>
#include <kcontrol/apiserver/impl/api_server_subresources.ipp>
#include <kcontrol/apiserver/impl/write_request.ipp>

namespace kcontrol::testing::detail {

inline request_info request_of_review(const json::value& spec) {
    request_info out;
    const auto said = [&spec](std::string_view name) {
        return std::string(json::get_string(spec, {"resourceAttributes", name}));
    };
    out.is_resource = json::find(spec, {"resourceAttributes"}) != nullptr;
    out.verb = said("verb");
    out.group = said("group");
    out.version = said("version");
    out.namespace_ = said("namespace");
    out.resource = said("resource");
    out.name = said("name");
    out.subresource = said("subresource");
    return out;
}

inline outcome<void> check_review(const request_info& info, const json::value& body) {
    const json::value* spec = json::find(body, {"spec"});
    const group_resource kind("authorization.k8s.io", std::string(json::get_string(body, {"kind"})));
    const auto refuse = [&kind](std::string_view field, const std::string& text) {
        return failure::invalid(kind, "", field, "FieldValueInvalid", "Invalid value: " + text);
    };
    const json::value* of_resource = spec == nullptr ? nullptr : json::find(*spec, {"resourceAttributes"});
    const json::value* of_path = spec == nullptr ? nullptr : json::find(*spec, {"nonResourceAttributes"});
    if (of_resource != nullptr && of_path != nullptr) {
        json::object shown;
        shown["Path"] = json::get_string(*of_path, {"path"});
        shown["Verb"] = json::get_string(*of_path, {"verb"});
        return refuse("spec.nonResourceAttributes", json::serialize(json::value(std::move(shown))) +
                                                        ": cannot be specified in combination with resourceAttributes");
    }
    if (of_resource == nullptr && of_path == nullptr) {
        return refuse("spec.resourceAttributes",
                      "null: exactly one of nonResourceAttributes or resourceAttributes must be specified");
    }
    if (info.resource == "selfsubjectaccessreviews") return {};
    const json::value* groups = json::find(*spec, {"groups"});
    if (json::get_string(*spec, {"user"}).empty() && groups == nullptr) {
        return refuse("spec.user", R"("": at least one of user or group must be specified)");
    }
    const std::string_view ns = json::get_string(*spec, {"resourceAttributes", "namespace"});
    if (info.resource == "localsubjectaccessreviews" && ns != info.namespace_) {
        return refuse("spec.resourceAttributes.namespace",
                      json::serialize(json::value(ns)) + ": must match metadata.namespace");
    }
    return {};
}

KCONTROL_DECL bool answers_review(const request_info& info) {
    if (info.verb != "create") return false;
    if (info.group == "authentication.k8s.io") return info.resource == "selfsubjectreviews";
    return info.group == "authorization.k8s.io" &&
           (info.resource == "selfsubjectaccessreviews" || info.resource == "subjectaccessreviews" ||
            info.resource == "localsubjectaccessreviews");
}

KCONTROL_DECL outcome<http::response> api_server_core::answer_review(const http::server_request& request,
                                                                     const request_info& info,
                                                                     const resource_type& type) const {
    auto body = parse_body(request, type);
    if (!body) return body.error();
    const auto user = access.authenticate(request);
    if (!user) return user.error();
    json::object& review = body->get_object();
    json::object status;
    if (info.group == "authentication.k8s.io") {
        status["userInfo"].emplace_object()["username"] = *user;
    } else {
        if (auto checked = check_review(info, *body); !checked) return checked.error();
        const json::value& spec = review.at("spec");
        const bool own = info.resource == "selfsubjectaccessreviews";
        const std::string who = own ? *user : std::string(json::get_string(spec, {"user"}));
        const auto allowed = access.authorize(who, request_of_review(spec));
        status["allowed"] = allowed.has_value();
        if (!allowed) status["reason"] = allowed.error().message;
    }
    review["kind"] = type.kind;
    review["apiVersion"] = type.api_version(info.version);
    if (!review["metadata"].is_object()) review["metadata"] = json::object();
    review["status"] = std::move(status);
    return json_answer(201, *body);
}

}  // namespace kcontrol::testing::detail

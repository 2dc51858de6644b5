#pragma once

#include <kcontrol/codec/decode.hpp>
#include <kcontrol/webhook/admission_request.hpp>
#include <kcontrol/webhook/impl/review_words.hpp>

#include <optional>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

inline constexpr std::string_view admission_operation_names[] = {"CREATE", "UPDATE", "DELETE", "CONNECT"};

// The members of an AdmissionReview but for its objects.
struct wire_kind {
    std::string group, version, kind;
    static constexpr auto kcontrol_fields() {
        return fields(field("group", &wire_kind::group), field("version", &wire_kind::version),
                      field("kind", &wire_kind::kind));
    }
};
struct wire_resource {
    std::string group, version, resource;
    static constexpr auto kcontrol_fields() {
        return fields(field("group", &wire_resource::group), field("version", &wire_resource::version),
                      field("resource", &wire_resource::resource));
    }
};
struct wire_user {
    std::string username, uid;
    std::vector<std::string> groups;
    std::map<std::string, std::vector<std::string>> extra;
    static constexpr auto kcontrol_fields() {
        return fields(field("username", &wire_user::username), field("uid", &wire_user::uid),
                      field("groups", &wire_user::groups), field("extra", &wire_user::extra));
    }
};
struct wire_admission_request {
    std::string uid, subresource, request_subresource, name, namespace_, operation;
    wire_kind kind;
    wire_resource resource;
    std::optional<wire_kind> request_kind;
    std::optional<wire_resource> request_resource;
    wire_user user;
    std::optional<bool> dry_run;
    static constexpr auto kcontrol_fields() {
        using self = wire_admission_request;
        return fields(field("uid", &self::uid), field("kind", &self::kind), field("resource", &self::resource),
                      field("subResource", &self::subresource), field("requestKind", &self::request_kind),
                      field("requestResource", &self::request_resource),
                      field("requestSubResource", &self::request_subresource), field("name", &self::name),
                      field("namespace", &self::namespace_), field("operation", &self::operation),
                      field("userInfo", &self::user), field("dryRun", &self::dry_run));
    }
};
struct wire_admission_review {
    std::string api_version, kind;
    std::optional<wire_admission_request> request;
    static constexpr auto kcontrol_fields() {
        return fields(field("apiVersion", &wire_admission_review::api_version),
                      field("kind", &wire_admission_review::kind), field("request", &wire_admission_review::request));
    }
};

inline result<admission_operation> read_operation(std::string_view text) {
    for (std::size_t i = 0; i < std::size(admission_operation_names); ++i) {
        if (text == admission_operation_names[i]) return static_cast<admission_operation>(i);
    }
    return wrong_review("request.operation", "expected CREATE, UPDATE, DELETE or CONNECT, found " + in_quotes(text));
}

inline result<void> check_object(const admission_request& of, const char* name, json::node object, bool wanted) {
    const std::string path = std::string("request.") + name;
    if (!object.is_null() && !object.is_object()) return wrong_review(path, "expected an object");
    if (wanted && object.is_null()) {
        return wrong_review(path, "it is missing; a request to " + std::string(to_string(of.operation)) + " has one");
    }
    return {};
}

inline group_version_kind kind_of_wire(wire_kind w) {
    return {std::move(w.group), std::move(w.version), std::move(w.kind)};
}
inline group_version_resource resource_of_wire(wire_resource w) {
    return {std::move(w.group), std::move(w.version), std::move(w.resource)};
}

inline result<admission_request> read_admission_request(wire_admission_request from, json::node members) {
    admission_request out;
    if (from.uid.empty()) return wrong_review("request.uid", "it is missing");
    if (from.kind.kind.empty()) return wrong_review("request.kind.kind", "it is missing");
    const auto operation = read_operation(from.operation);
    if (!operation) return operation.error();
    out.operation = *operation;
    out.uid = std::move(from.uid);
    out.kind = kind_of_wire(std::move(from.kind));
    out.resource = resource_of_wire(std::move(from.resource));
    out.subresource = std::move(from.subresource);
    out.request_kind = from.request_kind ? kind_of_wire(std::move(*from.request_kind)) : out.kind;
    out.request_resource = from.request_resource ? resource_of_wire(std::move(*from.request_resource)) : out.resource;
    out.request_subresource = from.request_kind ? std::move(from.request_subresource) : out.subresource;
    out.name = std::move(from.name);
    out.namespace_ = std::move(from.namespace_);
    out.user.name = std::move(from.user.username);
    out.user.uid = std::move(from.user.uid);
    out.user.groups = std::move(from.user.groups);
    out.user.extra = std::move(from.user.extra);
    out.dry_run = from.dry_run.value_or(false);
    out.object = members["object"];
    out.old_object = members["oldObject"];
    out.options = members["options"];
    const bool deletes = out.operation == admission_operation::delete_;
    const bool had = deletes || out.operation == admission_operation::update;
    if (auto there = check_object(out, "object", out.object, !deletes); !there) return there.error();
    if (auto there = check_object(out, "oldObject", out.old_object, had); !there) return there.error();
    return out;
}

}  // namespace detail

KCONTROL_DECL std::string_view to_string(admission_operation o) noexcept {
    return detail::admission_operation_names[static_cast<std::size_t>(o)];
}

KCONTROL_DECL std::string admission_request::describe() const {
    constexpr std::string_view verbs[] = {"create", "update", "delete", "connect to"};
    std::string text(verbs[static_cast<std::size_t>(operation)]);
    text += " " + kind.kind;
    if (!subresource.empty()) text += "/" + subresource;
    if (!name.empty()) text += " " + in_quotes(name);
    if (!namespace_.empty()) text += " in namespace " + in_quotes(namespace_);
    return text;
}

KCONTROL_DECL result<admission_request> decode_admission_review(std::string_view text) {
    const auto document = std::make_shared<json::document>();
    const auto root = document->parse(text);
    if (!root) return root.error();
    if (!root->is_object()) return error(errc::decode_failed, "expected an AdmissionReview, found no object");
    detail::wire_admission_review review;
    if (const auto read = decode(describe<detail::wire_admission_review>(), *root, &review); !read) return read.error();
    const auto typed =
        detail::check_review_type(review.api_version, review.kind, "admission.k8s.io", "AdmissionReview");
    if (!typed) return typed.error();
    if (!review.request) return detail::wrong_review("request", "it is missing");
    auto out = detail::read_admission_request(std::move(*review.request), (*root)["request"]);
    if (out) out->parsed = document;
    return out;
}

}  // namespace kcontrol

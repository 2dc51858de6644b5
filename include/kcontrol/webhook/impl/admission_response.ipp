#pragma once

#include <kcontrol/base/base64.hpp>
#include <kcontrol/json/members.hpp>
#include <kcontrol/webhook/admission_response.hpp>

namespace kcontrol::inline v0_1 {
namespace detail {

inline void write_causes(json::writer& out, const field_errors& errors, const std::vector<status_cause>& causes) {
    begin_array(out, "causes");
    for (const field_error& one : errors) {
        out.begin_object();
        out.member("reason", one.reason());
        out.member("message", one.body());
        out.member("field", one.path);
        out.end_object();
    }
    for (const status_cause& one : causes) {
        out.begin_object();
        out.member("reason", one.reason);
        out.member("message", one.message);
        out.member("field", one.field);
        out.end_object();
    }
    out.end_array();
}

// As apimachinery's errors.NewInvalid words it.
inline std::string invalid_message(const field_errors& errors, const admission_request& of, const std::string& name) {
    const std::string& group = of.kind.group;
    return of.kind.kind + (group.empty() ? "" : "." + group) + " \"" + name + "\" is invalid: " + to_string(errors);
}

inline std::string name_of_subject(const admission_request& of) {
    if (!of.name.empty()) return of.name;
    const json::node metadata = of.subject().is_object() ? of.subject()["metadata"] : json::node();
    const json::node made = metadata.is_object() ? metadata["generateName"] : json::node();
    return made.is_string() ? std::string(made.as_string()) : std::string();
}

inline void write_refusal(json::writer& out, const admission_verdict& why, const admission_request& of) {
    const std::string name = name_of_subject(of);
    const bool invalid = !why.status();
    api_status status;
    if (invalid) {
        status.code = 422;
        status.reason = "Invalid";
        status.message = invalid_message(why.errors(), of, name);
    } else {
        status = *why.status();
        if (status.code < 400) status.code = 400;
    }
    begin_object(out, "status");
    out.member("status", "Failure");
    out.member("message", status.message);
    if (!status.reason.empty()) out.member("reason", status.reason);
    if (!why.errors().empty() || !status.causes.empty()) {
        begin_object(out, "details");
        if (!name.empty()) out.member("name", name);
        if (!of.kind.group.empty()) out.member("group", of.kind.group);
        out.member("kind", of.kind.kind);
        write_causes(out, why.errors(), status.causes);
        out.end_object();
    }
    out.member("code", status.code);
    out.end_object();
}

}  // namespace detail

KCONTROL_DECL std::string to_json(const admission_response& answer, const admission_request& to) {
    const admission_verdict& verdict = answer.verdict;
    json::writer out;
    out.begin_object();
    out.member("kind", "AdmissionReview");
    out.member("apiVersion", "admission.k8s.io/v1");
    begin_object(out, "response");
    out.member("uid", to.uid);
    out.member("allowed", verdict.allowed());
    if (!verdict.allowed()) detail::write_refusal(out, verdict, to);
    if (verdict.allowed() && !answer.patch.empty()) {
        out.member("patchType", "JSONPatch");
        out.member("patch", encode_base64(answer.patch));
    }
    if (!verdict.warnings().empty()) {
        write_values(out, "warnings", verdict.warnings());
    }
    if (!verdict.annotations().empty()) {
        begin_object(out, "auditAnnotations");
        for (const auto& [key, value] : verdict.annotations()) out.member(key, value);
        out.end_object();
    }
    out.end_object();
    out.end_object();
    return out.take();
}

KCONTROL_DECL std::string failure_status_json(int code, std::string_view reason, std::string_view message) {
    json::writer out;
    out.begin_object();
    out.member("kind", "Status");
    out.member("apiVersion", "v1");
    begin_object(out, "metadata");
    out.end_object();
    out.member("status", "Failure");
    out.member("message", message);
    out.member("reason", reason);
    out.member("code", code);
    out.end_object();
    return out.take();
}

}  // namespace kcontrol

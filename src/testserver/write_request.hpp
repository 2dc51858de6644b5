// What the request of a write says: its body, its options, and who writes.
#pragma once

#include <kcontrol/documents/patch.hpp>
#include <kcontrol/documents/yaml.hpp>
#include <kcontrol/http/message.hpp>
#include <kcontrol/testing/request_info.hpp>

#include "testserver/failure_parts.hpp"
#include "testserver/header_text.hpp"
#include "testserver/json_values.hpp"
#include "testserver/object_store.hpp"
#include "testserver/resource_version.hpp"
#include "testserver/strategic_merge.hpp"

#include <algorithm>

namespace kcontrol::inline v0_1::testing::detail {

constexpr std::string_view apply_media_type = "application/apply-patch+yaml";

// The part of a Content-Type before its parameters.
inline std::string_view media_type(const http::request& request) {
    std::string_view text = request.headers.get("Content-Type");
    return cut(text, ';');
}

constexpr std::string_view body_media_types = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

// What Go says of a body whose apiVersion and kind are looked for.
inline std::string no_type_in(const json::value& body) {
    return "couldn't get version/kind; json parse error: json: cannot unmarshal " + std::string(json_type(body)) +
           R"( into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; )"
           R"(Kind string "json:\"kind,omitempty\"" })";
}

// The beginning of a body that could not be read, as Kubernetes shows it: what begins as JSON as it is, else in
// hexadecimal.
inline std::string summary_of_body(std::string_view body) {
    constexpr std::size_t most = 30;
    if (body.empty()) return "<empty>";
    const std::string_view first = body.substr(0, most);
    std::string out;
    if (body.front() == '{') {
        out = first;
    } else {
        for (const char c : first) {
            constexpr std::string_view digits = "0123456789abcdef";
            out += digits[static_cast<unsigned char>(c) >> 4];
            out += digits[static_cast<unsigned char>(c) & 15];
        }
    }
    return body.size() > most ? out + " ..." : out;
}

// A body in JSON or YAML; one that is neither fails with what the reader says. `tail`: what is said behind that.
inline outcome<json::value> parse_document(const http::request& request, const std::string& unreadable,
                                           const std::string& tail = {}) {
    const std::string_view given = media_type(request);
    if (given == "application/yaml") {
        auto documents = json::parse_yaml(request.body);
        if (!documents) return failure::bad_request(unreadable + documents.error().message() + tail);
        return documents->empty() ? json::value() : std::move(documents->front());
    }
    if (!given.empty() && given != "application/json") return failure::unsupported_media_type(body_media_types);
    if (request.body.empty()) {
        return failure::bad_request(unreadable +
                                    "couldn't get version/kind; json parse error: unexpected end of JSON input" + tail);
    }
    auto body = json::parse(request.body);
    if (!body) {
        return failure::bad_request(unreadable +
                                    "couldn't get version/kind; json parse error: " + body.error().message() + tail);
    }
    return std::move(*body);
}

// The object of a write. As in Kubernetes `null` is an empty object of its own kinds, whose apiVersion and kind may be
// absent; custom objects must have a kind.
inline outcome<json::value> parse_body(const http::request& request, const resource_type& type) {
    const std::string unreadable = "the object provided is unrecognized (must be of type " + type.kind + "): ";
    const std::string tail = " (" + summary_of_body(request.body) + ")";
    auto body = parse_document(request, unreadable, tail);
    if (!body) return body;
    if (!body->is_object() && !body->is_null()) return failure::bad_request(unreadable + no_type_in(*body) + tail);
    if (type.custom && json::get_string(*body, {"kind"}).empty()) {
        return failure::bad_request(unreadable + "Object 'Kind' is missing in '" + json::serialize(*body) + "'" + tail);
    }
    if (body->is_null()) *body = json::object();
    return body;
}

inline outcome<bool> dry_run_of(std::string_view value, std::string_view options_kind) {
    if (value.empty()) return false;
    if (value == "All") return true;
    return failure::invalid({"meta.k8s.io", std::string(options_kind)}, "", "dryRun", "FieldValueNotSupported",
                            "Unsupported value: [\"" + std::string(value) + R"("]: supported values: "All")");
}

// DeleteOptions come as query or as body; the body wins.
inline outcome<delete_request> delete_options(const http::request& request, const request_info& info) {
    delete_request out;
    json::value body;
    if (!request.body.empty()) {
        auto parsed = parse_document(request, {});
        if (!parsed) return parsed.error();
        if (!parsed->is_object() && !parsed->is_null()) return failure::bad_request(no_type_in(*parsed));
        const std::string_view kind = json::get_string(*parsed, {"kind"});
        if (!kind.empty() && kind != "DeleteOptions") {
            const std::string version(json::get_string(*parsed, {"apiVersion"}));
            return failure::bad_request("no kind " + in_quotes(kind) + " is registered for version " +
                                        in_quotes(version) + R"( in scheme "pkg/runtime/scheme.go:111")");
        }
        body = std::move(*parsed);
    }
    std::string dry_run(info.parameter("dryRun"));
    const auto listed = strings_of(json::find(body, {"dryRun"}));
    if (!listed.empty()) dry_run = listed.front();
    const auto dry = dry_run_of(dry_run, "DeleteOptions");
    if (!dry) return dry.error();
    out.dry_run(*dry);
    std::string policy(info.parameter("propagationPolicy"));
    if (const auto given = json::get_string(body, {"propagationPolicy"}); !given.empty()) policy = given;
    if (!policy.empty() && policy != "Background" && policy != "Foreground" && policy != "Orphan") {
        return failure::invalid({"meta.k8s.io", "DeleteOptions"}, "", "propagationPolicy", "FieldValueNotSupported",
                                "Unsupported value: " + in_quotes(policy) +
                                    R"(: supported values: "Foreground", "Background", "Orphan", "nil")");
    }
    const json::value* orphans = json::find(body, {"orphanDependents"});
    if (orphans != nullptr && orphans->is_bool() && !policy.empty()) {
        return failure::invalid(
            {"meta.k8s.io", "DeleteOptions"}, "", "propagationPolicy", "FieldValueInvalid",
            "Invalid value: " + in_quotes(policy) + ": orphanDependents and deletionPropagation cannot be both set");
    }
    if (policy == "Background" || (orphans != nullptr && *orphans == false)) out.dependents(propagation::background);
    if (policy == "Foreground") out.dependents(propagation::foreground);
    if (policy == "Orphan" || (orphans != nullptr && *orphans == true)) out.dependents(propagation::orphan);
    if (const json::value* grace = json::find(body, {"gracePeriodSeconds"}); grace != nullptr && grace->is_int64()) {
        out.grace_period(grace->get_int64());
    } else if (const auto seconds = parse_version(info.parameter("gracePeriodSeconds"))) {
        out.grace_period(static_cast<std::int64_t>(*seconds));
    }
    out.uid(std::string(json::get_string(body, {"preconditions", "uid"})));
    out.resource_version(std::string(json::get_string(body, {"preconditions", "resourceVersion"})));
    return out;
}

inline outcome<write_target::field_validation> field_validation_of(const request_info& info,
                                                                   std::string_view options_kind) {
    const std::string given(info.parameter("fieldValidation"));
    if (given.empty() || given == "Warn") return write_target::field_validation::warn;
    if (given == "Strict") return write_target::field_validation::strict;
    if (given == "Ignore") return write_target::field_validation::ignore;
    return failure::invalid(
        {"meta.k8s.io", std::string(options_kind)}, "", "fieldValidation", "FieldValueNotSupported",
        "Unsupported value: " + in_quotes(given) + R"(: supported values: "", "Ignore", "Strict", "Warn")");
}

// Who writes: fieldManager, or the program's name in User-Agent.
inline std::string manager_of(const http::request& request, const request_info& info) {
    constexpr std::size_t most = 128;
    if (const auto given = info.parameter("fieldManager"); !given.empty()) return std::string(given);
    std::string_view agent = request.headers.get("User-Agent");
    agent = agent.substr(0, std::min(agent.find('/'), most));
    return agent.empty() ? "unknown" : std::string(agent);
}

// metav1.PatchOptions, as far as they say who writes.
inline outcome<void> check_manager(const request_info& info, bool applies) {
    constexpr std::size_t most = 128;
    const group_resource options("meta.k8s.io", info.verb == "create"   ? "CreateOptions"
                                                : info.verb == "update" ? "UpdateOptions"
                                                                        : "PatchOptions");
    const std::string_view given = info.parameter("fieldManager");
    if (applies && given.empty()) {
        return failure::invalid(options, "", "fieldManager", "FieldValueRequired",
                                "Required value: is required for apply patch");
    }
    if (given.size() > most) {
        return failure::invalid(options, "", "fieldManager", "FieldValueTooLong",
                                "Too long: may not be more than 128 bytes");
    }
    if (info.verb == "patch" && !applies && info.has_parameter("force")) {
        return failure::invalid(options, "", "force", "FieldValueForbidden",
                                "Forbidden: may not be specified for non-apply patch");
    }
    return {};
}

// JSON is YAML, but not everything that is JSON in practice (tabs, long keys) is read by YAML parsers.
inline outcome<json::value> parse_applied(const http::request& request) {
    auto body = json::parse(request.body);
    if (!body) {
        auto documents = json::parse_yaml(request.body);
        if (!documents) return failure::bad_request("error encoding patch: yaml: " + documents.error().message());
        body = documents->size() == 1 ? std::move(documents->front()) : json::value();
    }
    const bool empty = body->is_null() || (body->is_object() && body->get_object().empty());
    if (empty) return failure::bad_request("invalid object type: /, Kind=");
    if (body->is_object()) return std::move(*body);
    return failure::bad_request(
        "error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot "
        "unmarshal " +
        std::string(json_type(*body)) + " into Go value of type map[string]interface {}");
}

inline failure undecodable_patch(std::string_view why) {
    return failure::bad_request("error decoding patch: " + std::string(why));
}

inline object_store::editor merge_editor(json::value patch) {
    return [patch = std::move(patch)](json::value& whole) -> outcome<void> {
        json::apply_merge_patch(whole, patch);
        return {};
    };
}

inline object_store::editor strategic_editor(const schema_type& type, json::value patch) {
    return [&type, patch = std::move(patch)](json::value& whole) -> outcome<void> {
        return apply_strategic_patch(type, whole.as_object(), patch.as_object());
    };
}

inline object_store::editor json_patch_editor(json::value patch) {
    return [patch = std::move(patch)](json::value& whole) -> outcome<void> {
        if (!json::apply_patch(whole, patch)) return failure::unprocessable();
        return {};
    };
}

// As json::parse(), with memory that is used again.
inline result<json::value> parse_again(json::document& reader, std::string_view text) {
    constexpr std::size_t most = std::size_t{64} << 10;  // a parser keeps some ten times as much
    if (text.size() <= most) {
        if (const auto root = reader.parse(text)) return json::to_value(*root);
    }
    return json::parse(text);
}

inline outcome<object_store::editor> editor_of(json::document& reader, const http::request& request,
                                               const resource_type& type, std::string_view version) {
    const std::string_view given = media_type(request);
    const bool json_patch = given == "application/json-patch+json";
    const bool merge = given == "application/merge-patch+json";
    const bool strategic = given == "application/strategic-merge-patch+json" && type.schema != nullptr;
    if (!json_patch && !merge && !strategic) {
        if (!type.custom) return make_failure(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
        return failure::unsupported_media_type(
            "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml");
    }
    // A strategic merge patch is read elsewhere there, which says less.
    const auto refuse = [strategic](const std::string& why) {
        return strategic ? failure::bad_request(why) : undecodable_patch(why);
    };
    if (request.body.empty()) return refuse("unexpected end of JSON input");
    auto patch = parse_again(reader, request.body);
    if (!patch) return refuse(patch.error().message());
    const auto misfit = [&patch](std::string_view go_type) {
        return "json: cannot unmarshal " + std::string(json_type(*patch)) + " into Go value of type " +
               std::string(go_type);
    };
    if (patch->is_null() && merge) return failure::bad_request("Invalid JSON Patch");
    if (patch->is_null()) *patch = json_patch ? json::value(json::array()) : json::value(json::object());
    if (json_patch) {
        if (!patch->is_array()) return refuse(misfit("[]handlers.jsonPatchOp"));
        return json_patch_editor(std::move(*patch));
    }
    if (!patch->is_object()) return refuse(misfit("map[string]interface {}"));
    if (strategic) return strategic_editor(*type.schema_in(version), std::move(*patch));
    return merge_editor(std::move(*patch));
}

}  // namespace kcontrol::testing::detail

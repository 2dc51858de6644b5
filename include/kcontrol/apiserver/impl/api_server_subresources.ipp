// What lies below objects and is no part of them: the scale of what has replicas, bindings, evictions and tokens.
#pragma once

#include <kcontrol/apiserver/api_server_core.hpp>
#include <kcontrol/apiserver/impl/rendering.ipp>
#include <kcontrol/apiserver/impl/selector_text.ipp>
#include <kcontrol/apiserver/impl/write_request.ipp>
#include <kcontrol/apiserver/impl/write_rules.ipp>
#include <kcontrol/apiserver/structural_schema.hpp>
#include <kcontrol/apiserver/timestamp.hpp>

#include <algorithm>

namespace kcontrol::testing::detail {

/// Where a kind has its replicas.
class scale_paths {
public:
    std::string spec, status, selector;
};

inline std::optional<scale_paths> scale_of(const resource_type& type, const std::string& version) {
    if (!type.custom) {
        if (type.subresource("scale") == nullptr) return std::nullopt;
        return scale_paths{".spec.replicas", ".status.replicas", ".spec.selector"};
    }
    const structural_schema* structure = type.structure_in(version);
    if (structure == nullptr || structure->scale_spec.empty()) return std::nullopt;
    return scale_paths{structure->scale_spec, structure->scale_status, structure->scale_selector};
}

inline json::value scale_of_object(const json::value& object, const scale_paths& paths) {
    json::object metadata;
    for (const std::string_view name : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
        if (const json::value* found = json::find(object, {"metadata", name})) metadata[name] = *found;
    }
    json::object spec, status;
    const json::value* wanted = value_at_path(object, paths.spec);
    if (wanted != nullptr && *wanted != 0) spec["replicas"] = *wanted;
    const json::value* present = value_at_path(object, paths.status);
    status["replicas"] = present == nullptr ? json::value(0) : *present;
    const std::string selector =
        paths.selector.empty() ? std::string() : text_of_selector(value_at_path(object, paths.selector));
    if (!selector.empty()) status["selector"] = selector;
    json::object out;
    out["kind"] = "Scale";
    out["apiVersion"] = "autoscaling/v1";
    out["metadata"] = std::move(metadata);
    out["spec"] = std::move(spec);
    out["status"] = std::move(status);
    return json::value(std::move(out));
}

inline void put_at_path(json::value& whole, std::string_view path, const json::value& value) {
    json::value* at = &whole;
    while (!path.empty()) {
        path.remove_prefix(1);  // the dot
        const std::string_view name = path.substr(0, path.find('.'));
        path.remove_prefix(name.size());
        if (!at->is_object()) *at = json::object();
        at = &at->get_object()[name];
    }
    *at = value;
}

inline json::value success_status(int code) {
    json::object out;
    out["kind"] = "Status";
    out["apiVersion"] = "v1";
    out["metadata"] = json::object();
    out["status"] = "Success";
    out["code"] = code;
    return json::value(std::move(out));
}

inline http::response json_answer(int code, const json::value& document) {
    return {code, "application/json", json::serialize(document)};
}

KCONTROL_DECL outcome<http::response> api_server_core::answer_scale(const http::server_request& request,
                                                                    const request_info& info, resource_table& table) {
    const resource_type& type = table.type();
    const auto paths = scale_of(type, info.version);
    const object_ptr stored = table.get({info.namespace_, info.name});
    if (stored == nullptr) return failure::not_found(type.id(), info.name);
    const json::value object = stored->value(type, type.api_version(info.version));
    json::value wanted = scale_of_object(object, *paths);
    if (info.verb == "get") return json_answer(200, wanted);
    if (info.verb == "patch") {
        const auto edit = editor_of(request, type, info.version);
        if (!edit) return edit.error();
        if (auto edited = (*edit)(wanted); !edited) return edited.error();
    } else if (info.verb == "update") {
        auto body = parse_document(request, "couldn't read the Scale: ");
        if (!body) return body.error();
        wanted = std::move(*body);
        const std::string kind(json::get_string(wanted, {"kind"}));
        if (!kind.empty() && kind != "Scale") {
            return failure::bad_request(
                R"(no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111")");
        }
    } else if (type.custom) {
        return failure(405, "MethodNotAllowed",
                       info.verb + " is not supported on resources of kind " + in_quotes(type.id().text()));
    } else {
        return failure::method_not_allowed();
    }
    const json::value* found = json::find(wanted, {"spec", "replicas"});
    const json::value replicas = found == nullptr || found->is_null() ? json::value(0) : *found;
    if (!type.custom && replicas.is_int64() && replicas.get_int64() < 0) {
        return failure::invalid({"autoscaling", "Scale"}, info.name, "spec.replicas", "FieldValueInvalid",
                                "Invalid value: " + json::serialize(replicas) + ": must be greater than or equal to 0");
    }
    const std::string version(json::get_string(wanted, {"metadata", "resourceVersion"}));
    write_target target(info.version, info.namespace_, info.name);
    target.subresource = "scale";
    target.manager = manager_of(request, info);
    const auto dry_run = dry_run_of(info.parameter("dryRun"), info.verb == "update" ? "UpdateOptions" : "PatchOptions");
    if (!dry_run) return dry_run.error();
    if (!version.empty() && version != std::to_string(stored->version())) {
        return failure::modified(type.id(), info.name);
    }
    const auto written = store.patch(
        table, target,
        [&](json::value& whole) -> outcome<void> {
            put_at_path(whole, paths->spec, replicas);
            return {};
        },
        *dry_run);
    if (!written) return written.error();
    return json_answer(200, scale_of_object((*written)->value(type, type.api_version(info.version)), *paths));
}

inline std::string_view node_of_pod(const json::value& pod) { return json::get_string(pod, {"spec", "nodeName"}); }

KCONTROL_DECL outcome<http::response> api_server_core::answer_binding(const http::server_request& request,
                                                                      const request_info& info) {
    auto body = parse_document(request, "couldn't read the Binding: ");
    if (!body) return body.error();
    const std::string name = info.name.empty() ? std::string(json::get_string(*body, {"metadata", "name"})) : info.name;
    const std::string kind(json::get_string(*body, {"target", "kind"}));
    const std::string node(json::get_string(*body, {"target", "name"}));
    if (!kind.empty() && kind != "Node") {
        return failure(
            500, "", "target.kind: Unsupported value: " + in_quotes(kind) + R"(: supported values: "Node", "<empty>")");
    }
    if (node.empty()) return failure(500, "", "target.name: Required value");
    const auto pods = store.table({"", "pods"});
    const object_ptr stored = pods->get({info.namespace_, name});
    if (stored == nullptr) return failure::not_found({"", "pods"}, name);
    const json::value pod = stored->value(pods->type(), "v1");
    const auto refuse = [&name](const std::string& why) {
        return failure::conflict({"", "pods/binding"}, name, "pod " + name + why);
    };
    if (stored->terminating()) return refuse(" is being deleted, cannot be assigned to a host");
    if (!node_of_pod(pod).empty()) return refuse(" is already assigned to node " + in_quotes(node_of_pod(pod)));
    const json::value* gates = json::find(pod, {"spec", "schedulingGates"});
    if (gates != nullptr && gates->is_array() && !gates->get_array().empty()) {
        return refuse(" has non-empty .spec.schedulingGates");
    }
    const auto dry_run = dry_run_of(info.parameter("dryRun"), "CreateOptions");
    if (!dry_run) return dry_run.error();
    write_target target("v1", info.namespace_, name);
    target.subresource = "binding";
    target.manager = manager_of(request, info);
    const std::string now = format_timestamp(env.wall_now());
    const auto bound = store.patch(
        *pods, target,
        [&](json::value& whole) -> outcome<void> {
            put_at_path(whole, ".spec.nodeName", json::value(node));
            const json::value* said = json::find(*body, {"metadata", "annotations"});
            if (said != nullptr && said->is_object()) {
                json::value& kept = metadata_of(whole.get_object())["annotations"];
                if (!kept.is_object()) kept = json::object();
                for (const auto& one : said->get_object()) kept.get_object()[one.key()] = one.value();
            }
            set_pod_condition(whole, "PodScheduled", {}, {}, now);
            return {};
        },
        *dry_run);
    if (!bound) return bound.error();
    return json_answer(201, success_status(201));
}

// A condition of a pod that holds from now on.
KCONTROL_DECL void set_pod_condition(json::value& pod, std::string_view type, std::string_view reason,
                                     std::string_view message, const std::string& now) {
    json::object made;
    made["type"] = type;
    made["status"] = "True";
    if (!reason.empty()) made["reason"] = reason;
    if (!message.empty()) made["message"] = message;
    made["lastTransitionTime"] = now;
    json::value& status = pod.get_object()["status"];
    if (!status.is_object()) status = json::object();
    json::value& all = status.get_object()["conditions"];
    if (!all.is_array()) all = json::array();
    for (auto& one : all.get_array()) {
        if (json::get_string(one, {"type"}) != type) continue;
        one = std::move(made);
        return;
    }
    all.get_array().push_back(std::move(made));
}

KCONTROL_DECL outcome<http::response> api_server_core::answer_token(const http::server_request& request,
                                                                    const request_info& info,
                                                                    const resource_table& table) {
    constexpr std::int64_t shortest = 600, usual = 3600;
    auto body = parse_document(request, "couldn't read the TokenRequest: ");
    if (!body) return body.error();
    if (table.get({info.namespace_, info.name}) == nullptr) return failure::not_found(table.type().id(), info.name);
    const json::value* asked = json::find(*body, {"spec", "expirationSeconds"});
    const std::int64_t seconds = asked != nullptr && asked->is_int64() ? asked->get_int64() : usual;
    if (seconds < shortest) {
        return failure::invalid(
            {"authentication.k8s.io", "TokenRequest"}, "", "spec.expirationSeconds", "FieldValueInvalid",
            "Invalid value: " + std::to_string(seconds) + ": may not specify a duration less than 10 minutes");
    }
    const wall_time now = env.wall_now();
    json::object metadata;
    metadata["name"] = info.name;
    metadata["namespace"] = info.namespace_;
    metadata["creationTimestamp"] = format_timestamp(now);
    json::value spec = json::object();
    if (const json::value* given = json::find(*body, {"spec"}); given != nullptr && given->is_object()) spec = *given;
    spec.get_object()["expirationSeconds"] = seconds;
    json::object status;
    status["token"] = "token-" + info.namespace_ + "-" + info.name + "-" + std::to_string(env.random());
    status["expirationTimestamp"] = format_timestamp(now + std::chrono::seconds(seconds));
    json::object out;
    out["kind"] = "TokenRequest";
    out["apiVersion"] = "authentication.k8s.io/v1";
    out["metadata"] = std::move(metadata);
    out["spec"] = std::move(spec);
    out["status"] = std::move(status);
    return json_answer(201, json::value(std::move(out)));
}

KCONTROL_DECL bool serves_below(const resource_type& type, const request_info& info) {
    if (info.subresource == "scale") return scale_of(type, info.version).has_value();
    if (type.custom || !type.group.empty()) return false;
    if (type.plural == "pods") return info.subresource == "binding" || info.subresource == "eviction";
    return type.plural == "serviceaccounts" && info.subresource == "token";
}

KCONTROL_DECL outcome<http::response> api_server_core::answer_below(const http::server_request& request,
                                                                    const request_info& info, resource_table& table) {
    if (info.subresource == "scale") return answer_scale(request, info, table);
    if (info.verb != "create") return failure::method_not_allowed();
    if (info.subresource == "binding") return answer_binding(request, info);
    if (info.subresource == "eviction") return answer_eviction(request, info, table);
    return answer_token(request, info, table);
}

}  // namespace kcontrol::testing::detail

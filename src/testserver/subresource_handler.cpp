#include "testserver/subresource_handler.hpp"

#include "testserver/conditions.hpp"
#include "testserver/responses.hpp"
#include "testserver/selector_text.hpp"
#include "testserver/structural_schema.hpp"
#include "testserver/timestamp.hpp"
#include "testserver/write_request.hpp"
#include "testserver/write_rules.hpp"

#include <algorithm>

namespace kcontrol::inline v0_1::testing::detail {

/// Where a kind has its replicas.
class scale_paths {
public:
    std::string spec, status, selector;
};

namespace {

std::optional<scale_paths> scale_of(const resource_type& type, const std::string& version) {
    if (!type.custom) {
        if (type.subresource("scale") == nullptr) return std::nullopt;
        return scale_paths{".spec.replicas", ".status.replicas", ".spec.selector"};
    }
    const structural_schema* structure = type.structure_in(version);
    if (structure == nullptr || structure->scale_spec.empty()) return std::nullopt;
    return scale_paths{structure->scale_spec, structure->scale_status, structure->scale_selector};
}

json::value scale_of_object(const json::value& object, const scale_paths& paths) {
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

}  // namespace

void put_at_path(json::value& whole, std::string_view path, const json::value& value) {
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

awaitable<outcome<http::response>> subresource_handler::answer_scale(const parsed_request& asked,
                                                                     object_store::table_ptr table) {
    const http::server_request& request = asked.message;
    const request_info& info = asked.info;
    const resource_type& type = table->type();
    const auto paths = scale_of(type, info.version);
    const object_ptr stored = table->get({info.namespace_, info.name});
    if (stored == nullptr) co_return failure::not_found(type.id(), info.name);
    const auto shown = co_await converter_.shown_in(table, stored, info.version);
    if (!shown) co_return shown.error();
    const json::value object = (*shown)->value(type, type.api_version(info.version));
    json::value wanted = scale_of_object(object, *paths);
    if (info.verb == "get") co_return json_answer(200, wanted);
    if (info.verb == "patch") {
        const auto edit = editor_of(reader_, request, type, info.version);
        if (!edit) co_return edit.error();
        if (auto edited = (*edit)(wanted); !edited) co_return edited.error();
    } else if (info.verb == "update") {
        auto body = parse_document(request, "couldn't read the Scale: ");
        if (!body) co_return body.error();
        wanted = std::move(*body);
        const std::string kind(json::get_string(wanted, {"kind"}));
        if (!kind.empty() && kind != "Scale") {
            co_return failure::bad_request(
                R"(no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111")");
        }
    } else if (type.custom) {
        co_return failure(405, "MethodNotAllowed",
                          info.verb + " is not supported on resources of kind " + in_quotes(type.id().text()));
    } else {
        co_return failure::method_not_allowed();
    }
    const json::value* found = json::find(wanted, {"spec", "replicas"});
    const json::value replicas = found == nullptr || found->is_null() ? json::value(0) : *found;
    if (!type.custom && replicas.is_int64() && replicas.get_int64() < 0) {
        co_return failure::invalid(
            {"autoscaling", "Scale"}, info.name, "spec.replicas", "FieldValueInvalid",
            "Invalid value: " + json::serialize(replicas) + ": must be greater than or equal to 0");
    }
    const std::string version(json::get_string(wanted, {"metadata", "resourceVersion"}));
    write_target target(info.version, info.namespace_, info.name);
    target.subresource = "scale";
    target.manager = manager_of(request, info);
    const auto dry_run = dry_run_of(info.parameter("dryRun"), info.verb == "update" ? "UpdateOptions" : "PatchOptions");
    if (!dry_run) co_return dry_run.error();
    if (!version.empty() && version != std::to_string(stored->version())) {
        co_return failure::modified(type.id(), info.name);
    }
    std::vector<std::string> warnings;
    write_order order;
    order.table = table;
    order.key = {info.namespace_, info.name};
    order.about = attributes_of(asked, type);
    order.about.kind_group = "autoscaling";
    order.about.kind_version = "v1";
    order.about.kind = "Scale";
    order.about.dry_run = *dry_run;
    order.warnings = &warnings;
    order.begin = [this, table, target, path = paths->spec, replicas](const object_ptr& live) {
        const auto edit = [&path, &replicas](json::value& whole) -> outcome<void> {
            put_at_path(whole, path, replicas);
            return {};
        };
        return store_.begin_patch(*table, target, edit, live);
    };
    order.show = [at = *paths](const json::value& whole) { return scale_of_object(whole, at); };
    order.put_back = [path = paths->spec](json::value& whole, const json::value& changed) {
        const json::value* now = json::find(changed, {"spec", "replicas"});
        put_at_path(whole, path, now == nullptr ? json::value(0) : *now);
    };
    const auto written = co_await writes_.write(std::move(order));
    if (!written) co_return written.error();
    const json::value now = written->object->value(type, type.api_version(info.version));
    http::response response = json_answer(200, scale_of_object(now, *paths));
    show_warnings(response, warnings);
    co_return response;
}

namespace {

std::string_view node_of_pod(const json::value& pod) { return json::get_string(pod, {"spec", "nodeName"}); }

}  // namespace

outcome<http::response> subresource_handler::answer_binding(const http::server_request& request,
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
    const auto pods = store_.table({"", "pods"});
    const object_ptr stored = pods == nullptr ? nullptr : pods->get({info.namespace_, name});
    if (stored == nullptr) return failure::not_found({"", "pods"}, name);
    const json::value pod = stored->value(pods->type(), "v1");
    const auto refuse = [&name](const std::string& why) {
        return failure::conflict({"", "pods/binding"}, name, "pod " + name + why);
    };
    const auto wanted_uid = json::get_string(*body, {"metadata", "uid"});
    const auto uid = json::get_string(pod, {"metadata", "uid"});
    const auto wanted_version = json::get_string(*body, {"metadata", "resourceVersion"});
    const std::string version = std::to_string(stored->version());
    const auto precondition = [&name](const char* what, std::string_view wanted, std::string_view found) {
        return failure::conflict({"", "pods"}, name,
                                 "Precondition failed: " + std::string(what) + " in precondition: " +
                                     std::string(wanted) + ", " + what + " in object meta: " + std::string(found));
    };
    if (!wanted_uid.empty() && wanted_uid != uid) return precondition("UID", wanted_uid, uid);
    if (!wanted_version.empty() && wanted_version != version) {
        return precondition("ResourceVersion", wanted_version, version);
    }
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
    const std::string now = format_timestamp(env_.wall_now());
    const auto bound = store_.patch(
        *pods, target,
        [&](json::value& whole) -> outcome<void> {
            put_at_path(whole, ".spec.nodeName", json::value(node));
            const json::value* said = json::find(*body, {"metadata", "annotations"});
            if (said != nullptr && said->is_object()) {
                json::value& kept = metadata_of(whole.get_object())["annotations"];
                if (!kept.is_object()) kept = json::object();
                for (const auto& one : said->get_object()) kept.get_object()[one.key()] = one.value();
            }
            put_condition(conditions_in(whole.get_object()), "PodScheduled", true, {}, {}, now);
            return {};
        },
        *dry_run);
    if (!bound) return bound.error();
    return json_answer(201, success_status(201));
}

bool serves_below(const resource_type& type, const request_info& info) {
    if (info.subresource == "scale") return scale_of(type, info.version).has_value();
    if (type.custom || !type.group.empty()) return false;
    // A Binding of its own goes to a pod, too.
    if (type.plural == "bindings") {
        return info.verb == "create" && info.subresource.empty() && !info.namespace_.empty();
    }
    if (type.plural == "pods") return info.subresource == "binding" || info.subresource == "eviction";
    return type.plural == "serviceaccounts" && info.subresource == "token";
}

// What is created below an object, or as a Binding of its own, is shown to admission as it came.
awaitable<outcome<http::response>> subresource_handler::answer(const parsed_request& asked,
                                                               object_store::table_ptr table) {
    const request_info& info = asked.info;
    if (info.subresource == "scale") {
        auto scaled = co_await answer_scale(asked, table);
        co_return scaled;
    }
    if (info.verb != "create") co_return failure::method_not_allowed();
    http::server_request request = asked.message;
    std::vector<std::string> warnings;
    const subresource_type* below = table->type().subresource(info.subresource);
    const bool somebody_asks = admission_.mutates() || admission_.validates();
    // What can't be read is refused below, by who answers.
    auto body = somebody_asks ? parse_document(request, std::string()) : outcome<json::value>(json::value());
    if (body && body->is_object() && (below != nullptr || info.subresource.empty())) {
        admission_attributes about = attributes_of(asked, table->type());
        if (below != nullptr) {
            about.kind_group = below->group;
            about.kind_version = below->version;
            about.kind = below->kind;
        }
        if (about.name.empty()) about.name = std::string(json::get_string(*body, {"metadata", "name"}));
        about.operation = "CREATE";
        about.dry_run = !info.parameter("dryRun").empty();
        about.options.as_object()["kind"] = "CreateOptions";
        const json::value nothing;
        const auto changed = co_await admission_.mutate(about, table->type(), *body, nothing, warnings);
        if (!changed) co_return changed.error();
        auto valid = co_await admission_.validate(about, table->type(), *body, nothing, warnings);
        if (!valid) co_return valid.error();
        if (*changed) {
            request.body = json::serialize(*body);
            request.headers.set("Content-Type", "application/json");
        }
    }
    auto response = info.subresource == "eviction" ? answer_eviction(request, info, *table)
                    : info.subresource == "token"  ? access_.answer_token(request, info)
                                                   : answer_binding(request, info);
    if (response) show_warnings(*response, warnings);
    co_return response;
}

}  // namespace kcontrol::testing::detail

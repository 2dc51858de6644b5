#include "testserver/write_preparation.hpp"

#include <kcontrol/runtime/random_uuid.hpp>

#include "testserver/crd_validation.hpp"
#include "testserver/node_ports.hpp"
#include "testserver/structural_schema.hpp"
#include "testserver/typed_object.hpp"
#include "testserver/validation.hpp"
#include "testserver/write_changes.hpp"

#include <algorithm>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

// As Go writes a map.
json::value in_order_of_names(const json::value& given) {
    if (given.is_array()) {
        json::array out;
        for (const auto& one : given.get_array()) out.push_back(in_order_of_names(one));
        return out;
    }
    if (!given.is_object()) return given;
    std::map<std::string_view, const json::value*> members;
    for (const auto& member : given.get_object()) members.emplace(member.key(), &member.value());
    json::object out;
    for (const auto& [name, value] : members) out[name] = in_order_of_names(*value);
    return out;
}

// What a real server adds to a new object of these kinds and clients look at.
void set_defaults(const resource_type& type, json::object& content) {
    for (const auto& name : type.initial_finalizers) {
        json::value& list = metadata_of(content)["finalizers"];
        if (!list.is_array()) list = json::array();
        json::array& all = list.get_array();
        if (std::find(all.begin(), all.end(), json::value(name)) == all.end()) all.push_back(json::value(name));
    }
    if (!type.group.empty()) return;
    if (type.plural == "namespaces") {
        json::object& metadata = metadata_of(content);
        json::value& labels = metadata["labels"];
        if (!labels.is_object()) labels = json::object();
        labels.get_object()["kubernetes.io/metadata.name"] = member(metadata, "name");
        json::object spec;
        spec["finalizers"] = json::array({"kubernetes"});
        content["spec"] = std::move(spec);
        json::object status;
        status["phase"] = "Active";
        content["status"] = std::move(status);
    } else if (type.plural == "pods") {
        json::object status;
        status["phase"] = "Pending";
        content["status"] = std::move(status);
    } else if (type.plural == "secrets" && !content.contains("type")) {
        content["type"] = "Opaque";
    }
}

void set_managed_fields(json::object& content, json::array managed) {
    if (managed.empty()) {
        metadata_of(content).erase("managedFields");
    } else {
        metadata_of(content)["managedFields"] = std::move(managed);
    }
}

// apimachinery's alphabet of generated names: no vowels, no look-alikes.
std::string random_suffix(std::uint64_t random) {
    constexpr std::string_view alphabet = "bcdfghjklmnpqrstvwxz2456789";
    std::string out;
    for (int i = 0; i < 5; ++i, random /= alphabet.size()) out.push_back(alphabet[random % alphabet.size()]);
    return out;
}

// With its version and kind, which are not kept with each object.
json::object named(const resource_type& type, const std::string& version, const json::object& body) {
    json::object out;
    out["apiVersion"] = type.api_version(version);
    out["kind"] = type.kind;
    for (const auto& member : body) out[member.key()] = member.value();
    return out;
}

failure unreadable_patch(const std::string& patched, const std::string& why) {
    return failure::invalid({}, "", "patch", "FieldValueInvalid",
                            "Invalid value: " + json::serialize(json::value(patched)) + ": " + why);
}

// What a real server loses on the way to its store and back.
void store_as_protobuf(const resource_type& type, const write_target& target, json::object& body) {
    const schema_type* schema = type.custom ? nullptr : type.schema_in(target.version);
    if (schema != nullptr) forget_empty_lists(*schema, body);
}

}  // namespace

const group_resource& namespaces_id() {
    static const group_resource id("", "namespaces");
    return id;
}

const group_resource& definitions_id() {
    static const group_resource id("apiextensions.k8s.io", "customresourcedefinitions");
    return id;
}

field_writer writer_of(const resource_type& type, const write_target& target, std::string now) {
    field_writer out;
    out.manager = target.manager;
    out.api_version = type.api_version(target.version);
    out.subresource = target.subresource;
    out.now = std::move(now);
    return out;
}

}  // namespace detail

json::value pending_write::whole(const resource_type& type) const {
    return json::value(detail::named(type, target.version, body));
}

const resource_table* write_preparation::table_of(const group_resource& id) const {
    const auto found = tables_.find(id);
    return found == tables_.end() ? nullptr : found->second.get();
}

outcome<void> write_preparation::prepare(const resource_table& table, pending_write& write) const {
    if (!write.creates()) return prepare_changed(table.type(), write, write.body);
    return prepare_new(table, write, write.body);
}

outcome<void> write_preparation::prepare_new(const resource_table& table, pending_write& write,
                                             json::object& body) const {
    const resource_type& type = table.type();
    const write_target& target = write.target;
    if (auto named = choose_name(table, target, body); !named) return named.error();
    const std::string name = detail::member(metadata_of(body), "name");
    if (auto allowed = check_namespace(type, target, name); !allowed) return allowed.error();
    const std::string now = inputs_.timestamp();
    const std::string uid = make_uid();
    const auto complete_new = [&](json::object& made) -> outcome<void> {
        if (auto ready = prepare_create(type, target, made, uid, now); !ready) return ready;
        detail::set_defaults(type, made);
        return complete(type, target, made, nullptr);
    };
    if (options_.default_and_validate() && detail::takes_node_ports(type, target, body)) {
        if (auto free = detail::check_node_ports(table, target, body, nullptr); !free) return free;
    }
    if (auto ready = complete_new(body); !ready) return ready;
    if (write.managed && !write.managed->empty()) {
        metadata_of(body)["managedFields"] = *write.managed;
    } else if (!write.managed && options_.default_and_validate()) {
        const json::object* owned = &body;
        if (write.asked) {
            metadata_of(*write.asked)["name"] = name;
            if (complete_new(*write.asked)) owned = &*write.asked;
        }
        detail::set_managed_fields(body, first_managed_fields(type, target, *owned));
    }
    if (options_.default_and_validate()) detail::store_as_protobuf(type, target, body);
    return {};
}

outcome<void> write_preparation::prepare_changed(const resource_type& type, pending_write& write,
                                                 json::object& body) const {
    const write_target& target = write.target;
    if (write.before.empty()) write.before = write.live->content();
    const json::object& before = write.before;
    if (auto ready = prepare_update(type, target, *write.live, before, body); !ready) return ready.error();
    const resource_table* siblings = table_of(type.id());
    if (options_.default_and_validate() && siblings != nullptr && detail::takes_node_ports(type, target, body)) {
        if (auto free = detail::check_node_ports(*siblings, target, body, &before); !free) return free;
    }
    if (auto ready = complete(type, target, body, &before); !ready) return ready.error();
    follow_generation(type, target, before, body);
    if (write.managed) {
        detail::set_managed_fields(body, *write.managed);
    } else if (write.live->managed()) {
        const auto writer = detail::writer_of(type, target, inputs_.timestamp());
        json::object owned = write.asked ? *write.asked : body;
        const bool usable = !write.asked || (prepare_update(type, target, *write.live, before, owned) &&
                                             complete(type, target, owned, &before));
        detail::set_managed_fields(body, follow_update(type, before, usable ? owned : body, writer));
    }
    if (options_.default_and_validate()) detail::store_as_protobuf(type, target, body);
    return {};
}

outcome<void> write_preparation::read_as_typed(const resource_type& type, const write_target& target,
                                               json::object& body) const {
    const schema_type* schema = options_.default_and_validate() ? type.schema_in(target.version) : nullptr;
    const structural_schema* structure = options_.default_and_validate() ? type.structure_in(target.version) : nullptr;
    if (schema == nullptr && structure == nullptr) return {};
    // What the path and the kind say is checked before, and by others.
    const json::value* kind = body.if_contains("kind");
    if (kind != nullptr && kind->is_string() && kind->get_string() != std::string_view(type.kind)) return {};
    const std::string refusal =
        type.kind + " in version \"" + target.version + "\" cannot be handled as a " + type.kind + ": ";
    std::vector<std::string> odd;
    const bool strict = target.unknown_fields == write_target::field_validation::strict;
    std::string patched;  // as it is before what nobody knows goes
    if (structure != nullptr) {
        if (strict && target.is_patch) patched = json::serialize(detail::in_order_of_names(body));
        structure->prune(body, odd);
        for (auto& path : odd) path = "unknown field \"" + path + "\"";
        structure->set_defaults(body);
    } else {
        auto reading = read_typed(*schema, body);
        if (reading.problem && target.is_patch) {
            return detail::unreadable_patch(json::serialize(body), *reading.problem);
        }
        if (reading.problem) return failure::bad_request(refusal + *reading.problem);
        odd = std::move(reading.unknown);
    }
    if (odd.empty() || target.unknown_fields == write_target::field_validation::ignore) return {};
    if (target.unknown_fields == write_target::field_validation::warn) {
        if (target.warnings != nullptr) *target.warnings = std::move(odd);
        return {};
    }
    std::string text = "strict decoding error: ";
    for (std::size_t i = 0; i < odd.size(); ++i) text.append(i == 0 ? "" : ", ").append(odd[i]);
    if (!target.is_patch) return failure::bad_request(refusal + text);
    if (patched.empty()) patched = json::serialize(body);
    return detail::unreadable_patch(patched, text);
}

outcome<void> write_preparation::complete(const resource_type& type, const write_target& target, json::object& body,
                                          const json::object* before) const {
    if (!options_.default_and_validate()) return {};
    std::vector<field_problem> problems;
    if (type.custom) {
        problems = validate_builtin(type, body, before);  // its metadata
        const structural_schema* structure = type.structure_in(target.version);
        if (structure != nullptr) {
            // Rules may speak of the kind and the version.
            const json::object now = detail::named(type, target.version, body);
            const json::object old = before != nullptr ? detail::named(type, target.version, *before) : json::object();
            for (auto& problem : structure->validate(now, before != nullptr ? &old : nullptr)) {
                problems.push_back(std::move(problem));
            }
        }
    } else if (const schema_type* schema = type.schema_in(target.version)) {
        if (type.group.empty() && type.plural == "secrets") take_string_data(body);
        show_zeros(*schema, body);
        set_api_defaults(type, *schema, body);
        const bool defines = type.id() == detail::definitions_id();
        if (defines) set_definition_defaults(body);
        if (before == nullptr) {
            set_initial_values(type, body);
        } else if (target.subresource.empty()) {
            keep_initial_values(type, body, *before);
        } else if (type.id().text() == "persistentvolumes") {
            date_phase(body, *before, inputs_.timestamp());
        }
        if (!target.subresource.empty()) return {};
        problems =
            defines ? validate_definition(body, before, options_.lenient_cel()) : validate_builtin(type, body, before);
    }
    if (problems.empty()) return {};
    return failure::invalid(detail::kind_of(type), detail::member(metadata_of(body), "name"), problems);
}

json::array write_preparation::first_managed_fields(const resource_type& type, const write_target& target,
                                                    const json::object& body) const {
    json::object empty, made = body;
    if (const schema_type* schema = type.schema_in(target.version)) show_zeros(*schema, empty);
    if (type.status_subresource && !type.creates_with_status) {
        empty.erase("status");
        made.erase("status");
    }
    return follow_update(type, empty, made, detail::writer_of(type, target, inputs_.timestamp()));
}

outcome<void> write_preparation::check_namespace(const resource_type& type, const write_target& target,
                                                 std::string_view name) const {
    if (!type.namespaced) return {};
    const resource_table* namespaces = table_of(detail::namespaces_id());
    const object_ptr found = namespaces == nullptr ? nullptr : namespaces->get({"", target.namespace_});
    if (found == nullptr) {
        if (!options_.require_namespace()) return {};
        return failure::not_found(detail::namespaces_id(), target.namespace_);
    }
    if (!found->terminating()) return {};
    failure refused = failure::forbidden(
        type.id(), name,
        "unable to create new content in namespace " + target.namespace_ + " because it is being terminated");
    json::object cause;
    cause["reason"] = "NamespaceTerminating";
    cause["message"] = "namespace " + target.namespace_ + " is being terminated";
    cause["field"] = "metadata.namespace";
    (*refused.details)["causes"] = json::array({std::move(cause)});
    return refused;
}

outcome<void> write_preparation::choose_name(const resource_table& table, const write_target& target,
                                             json::object& body) const {
    json::object& metadata = metadata_of(body);
    const std::string base = detail::member(metadata, "generateName");
    if (!detail::member(metadata, "name").empty() || base.empty()) return {};
    constexpr int attempts = 8;  // kube-apiserver's own number
    for (int i = 0; i < attempts; ++i) {
        const std::string name = base.substr(0, 58) + detail::random_suffix(inputs_.random());
        if (table.get({target.namespace_, name}) != nullptr) continue;
        metadata["name"] = name;
        return {};
    }
    failure collision = failure::already_exists(table.type().id(), base);
    (*collision.details)["retryAfterSeconds"] = 1;
    return collision;
}

std::string write_preparation::make_uid() const {
    const std::uint64_t first = inputs_.random();
    return uuid_of_random(first, inputs_.random());
}

}  // namespace kcontrol::testing

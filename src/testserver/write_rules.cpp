#include "testserver/write_rules.hpp"

#include <kcontrol/testing/failure.hpp>
#include <kcontrol/testing/resource_type.hpp>

#include "testserver/failure_parts.hpp"
#include "testserver/json_values.hpp"
#include "testserver/resource_version.hpp"
#include "testserver/stored_object.hpp"

#include <algorithm>
#include <set>

namespace kcontrol::inline v0_1::testing {
namespace detail {

std::string member(const json::object& from, std::string_view name) {
    const json::value* found = from.if_contains(name);
    return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

namespace {

bool is_empty(const json::value& v) {
    return v.is_null() || (v.is_object() && v.get_object().empty()) || (v.is_array() && v.get_array().empty()) ||
           (v.is_string() && v.get_string().empty());
}

}  // namespace

// The kind as errors about an object name it: "PyTorchJob.kubeflow.org".
group_resource kind_of(const resource_type& type) { return {type.group, type.kind}; }

namespace {

failure unmarshal_failure(const resource_type& type, const write_target& target, std::string_view detail) {
    return failure::bad_request(type.kind + " in version \"" + target.version + "\" cannot be handled as a " +
                                type.kind + ": json: cannot unmarshal " + std::string(detail));
}

outcome<void> check_type(const resource_type& type, const write_target& target, const json::object& body) {
    const std::string kind = member(body, "kind");
    const std::string api_version = member(body, "apiVersion");
    const std::string expected = type.api_version(target.version);
    if (type.custom && (kind.empty() || api_version.empty())) {
        return failure::bad_request("the object provided is unrecognized (must be of type " + type.kind +
                                    "): Object '" + (kind.empty() ? "Kind" : "apiVersion") + "' is missing");
    }
    if (!api_version.empty() && api_version != expected) {
        if (target.is_patch) {
            return failure::invalid({"", type.kind}, target.name, "apiVersion", "FieldValueInvalid",
                                    "Invalid value: " + in_quotes(api_version) + ": must be " + expected);
        }
        return failure::bad_request("the API version in the data (" + api_version +
                                    ") does not match the expected API version (" + expected + ")");
    }
    if (!kind.empty() && kind != type.kind) {
        if (target.is_patch) {
            return failure::invalid({type.group, kind}, target.name, "kind", "FieldValueInvalid",
                                    "Invalid value: " + in_quotes(kind) + ": must be " + type.kind);
        }
        return failure::bad_request(kind + " in version " + in_quotes(target.version) + " cannot be handled as a " +
                                    type.kind);
    }
    return {};
}

// Of owners that are alike in all, the first stays. Source: dedupOwnerReferences of the apiserver's handlers.
void drop_double_owners(const write_target& target, json::array& owners) {
    json::array kept;
    std::string doubles;
    for (const auto& owner : owners) {
        const auto is_same = [&](const json::value& other) { return json::equal(owner, other); };
        if (std::none_of(kept.begin(), kept.end(), is_same)) {
            kept.push_back(owner);
        } else {
            doubles.append(doubles.empty() ? "" : ", ").append(json::get_string(owner, {"uid"}));
        }
    }
    if (doubles.empty()) return;
    owners = std::move(kept);
    if (target.warnings == nullptr) return;
    target.warnings->push_back(
        ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may "
        "reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: " +
        doubles);
}

// labels, annotations: maps of strings; finalizers: a list of strings; ownerReferences: whole ones.
outcome<void> check_metadata(const resource_type& type, const write_target& target, json::object& metadata) {
    for (const std::string_view name : {"labels", "annotations"}) {
        const json::value* map = metadata.if_contains(name);
        if (map == nullptr) continue;
        const std::string field = "Go struct field ObjectMeta." + std::string(name) + " of type ";
        if (!map->is_object()) {
            return unmarshal_failure(type, target,
                                     std::string(json_type(*map)) + " into " + field + "map[string]string");
        }
        for (const auto& entry : map->get_object()) {
            if (entry.value().is_string()) continue;
            return unmarshal_failure(type, target, std::string(json_type(entry.value())) + " into " + field + "string");
        }
    }
    for (const std::string_view name : {"finalizers", "ownerReferences"}) {
        const json::value* list = metadata.if_contains(name);
        if (list == nullptr || list->is_array()) continue;
        return unmarshal_failure(
            type, target, std::string(json_type(*list)) + " into Go struct field ObjectMeta." + std::string(name));
    }
    json::value* owners = metadata.if_contains("ownerReferences");
    if (owners == nullptr) return {};
    std::vector<field_problem> empty;
    for (std::size_t at = 0; at < owners->get_array().size(); ++at) {
        for (const std::string_view name : {"apiVersion", "kind", "name", "uid"}) {
            if (!json::get_string(owners->get_array()[at], {name}).empty()) continue;
            empty.emplace_back("metadata.ownerReferences[" + std::to_string(at) + "]." + std::string(name),
                               "FieldValueRequired", "Required value: must not be empty");
        }
    }
    if (!empty.empty()) return failure::invalid(kind_of(type), json::get_string(metadata, {"name"}), empty);
    drop_double_owners(target, owners->get_array());
    return {};
}

// Where a real server's etcd has an object, which some of its messages say.
std::string storage_key(const resource_type& type, const write_target& target) {
    constexpr std::pair<std::string_view, std::string_view> old_names[] = {{"services", "services/specs"},
                                                                           {"endpoints", "services/endpoints"},
                                                                           {"nodes", "minions"},
                                                                           {"replicationcontrollers", "controllers"},
                                                                           {"ingresses", "ingress"}};
    const bool by_group = type.custom || type.group == "apiextensions.k8s.io" || type.group == "apiregistration.k8s.io";
    std::string key = "/registry/" + (by_group ? type.group + "/" : std::string());
    std::string_view plural = type.plural;
    for (const auto& [now, old] : old_names) {
        if (!by_group && plural == now) plural = old;
    }
    key += plural;
    if (!target.namespace_.empty()) key += "/" + target.namespace_;
    return key + "/" + target.name;
}

outcome<void> check_version_and_uid(const resource_type& type, const write_target& target, const stored_object& stored,
                                    const json::object& metadata) {
    const std::string version = member(metadata, "resourceVersion");
    if (version.empty() || version == "0") {
        if (type.needs_version && !target.is_patch) {
            return failure::invalid(type.id(), target.name, "metadata.resourceVersion", "FieldValueInvalid",
                                    "Invalid value: 0: must be specified for an update");
        }
    } else if (const auto number = parse_version(version); !number) {
        return failure(500, "", "strconv.ParseUint: parsing " + in_quotes(version) + ": invalid syntax");
    } else if (*number != stored.version()) {
        return failure::modified(type.id(), target.name);
    }
    const std::string uid = member(metadata, "uid");
    if (uid.empty() || uid == stored.uid()) return {};
    if (target.is_patch) {
        return failure::invalid(kind_of(type), target.name, "metadata.uid", "FieldValueInvalid",
                                "Invalid value: " + in_quotes(uid) + ": field is immutable");
    }
    return failure::conflict(
        type.id(), target.name,
        "StorageError: invalid object, Code: 4, Key: " + storage_key(type, target) +
            ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: " + uid +
            ", UID in object meta: " + stored.uid());
}

outcome<void> check_finalizers(const resource_type& type, const write_target& target, const json::object& before,
                               const json::object& after) {
    const json::value* now = after.if_contains("finalizers");
    if (now == nullptr) return {};
    std::set<std::string> known;
    for (auto& name : strings_of(before.if_contains("finalizers"))) known.insert(std::move(name));
    std::string added;
    for (const auto& name : strings_of(now)) {
        if (!known.contains(name)) added += (added.empty() ? "" : ", ") + in_quotes(name);
    }
    if (added.empty()) return {};
    return failure::invalid(kind_of(type), target.name, "metadata.finalizers", "FieldValueForbidden",
                            "Forbidden: no new finalizers can be added if the object is being deleted, found new "
                            "finalizers []string{" +
                                added + "}");
}

// Copies a member, or removes it where the source has none.
void take_over(json::object& into, const json::object& from, std::string_view name) {
    if (const json::value* found = from.if_contains(name)) {
        into[name] = *found;
    } else {
        into.erase(name);
    }
}

// Leaves of `body` one member of its spec, in what is stored otherwise.
void write_spec_member(std::string_view name, json::object& updated, const json::object& body) {
    json::value& kept = updated["spec"];
    if (!kept.is_object()) kept = json::object();
    const json::value* spec = body.if_contains("spec");
    if (spec != nullptr && spec->is_object()) {
        take_over(kept.get_object(), spec->get_object(), name);
    } else {
        kept.get_object().erase(name);
    }
}

// What is written through a subresource is a part of the object; the rest stays as it is. False: it is no subresource.
bool write_part(std::string_view subresource, const json::object& stored, json::object& body) {
    if (subresource != "status" && subresource != "finalize" && subresource != "binding") return false;
    json::object updated = stored;
    if (subresource == "finalize") {
        write_spec_member("finalizers", updated, body);
    } else {
        if (subresource == "binding") {
            write_spec_member("nodeName", updated, body);
            take_over(metadata_of(updated), metadata_of(body), "annotations");
        }
        take_over(updated, body, "status");
    }
    body = std::move(updated);
    return true;
}

}  // namespace
}  // namespace detail

bool is_object_name(std::string_view name) noexcept {
    if (name.empty() || name.size() > 253) return false;
    char before = '.';
    for (const char c : name) {
        const bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!alphanumeric && c != '-' && c != '.') return false;
        if (before == '.' && !alphanumeric) return false;
        if (before == '-' && c == '.') return false;
        before = c;
    }
    return before != '.' && before != '-';
}

outcome<void> check_and_normalise(const resource_type& type, const write_target& target, json::object& body) {
    if (auto checked = detail::check_type(type, target, body); !checked) return checked;
    body.erase("apiVersion");
    body.erase("kind");
    if (!type.custom) {
        // Maps of a kind whose schema the server knows are left out where they are empty.
        for (const std::string_view name : {"data", "binaryData"}) {
            const json::value* found = body.if_contains(name);
            if (found != nullptr && detail::is_empty(*found)) body.erase(name);
        }
    }
    json::object& metadata = metadata_of(body);
    for (const std::string_view name : {"managedFields", "selfLink"}) metadata.erase(name);
    if (auto checked = detail::check_metadata(type, target, metadata); !checked) return checked;
    for (auto member = metadata.begin(); member != metadata.end();) {
        member = detail::is_empty(member->value()) ? metadata.erase(member) : member + 1;
    }
    const std::string ns = detail::member(metadata, "namespace");
    if (!ns.empty() && ns != target.namespace_) {
        return failure::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request");
    }
    if (!target.namespace_.empty()) metadata["namespace"] = target.namespace_;
    return {};
}

namespace detail {
namespace {

// Names of roles and their bindings are segments of a path and nothing else; all others are DNS names.
std::string wrong_with_name(const resource_type& type, std::string_view name) {
    if (type.group != "rbac.authorization.k8s.io") return is_object_name(name) ? "" : std::string(name_problem);
    for (const std::string_view whole : {".", ".."}) {
        if (name == whole) return "may not be '" + std::string(whole) + "'";
    }
    for (const char* part : {"/", "%"}) {
        if (name.find(part) != std::string_view::npos) return std::string("may not contain '") + part + "'";
    }
    return {};
}

}  // namespace
}  // namespace detail

outcome<void> prepare_create(const resource_type& type, const write_target& target, json::object& body,
                             const std::string& uid, const std::string& now) {
    json::object& metadata = metadata_of(body);
    if (metadata.contains("resourceVersion")) {
        return failure(500, "", "resourceVersion should not be set on objects to be created");
    }
    if (!target.name.empty()) metadata["name"] = target.name;
    const std::string name = detail::member(metadata, "name");
    if (name.empty()) {
        return failure::invalid(detail::kind_of(type), "", "metadata.name", "FieldValueRequired",
                                "Required value: name or generateName is required");
    }
    if (const std::string wrong = detail::wrong_with_name(type, name); !wrong.empty()) {
        return failure::invalid(detail::kind_of(type), name, "metadata.name", "FieldValueInvalid",
                                "Invalid value: " + detail::in_quotes(name) + ": " + wrong);
    }
    for (const std::string_view set_by_server : {"generation", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
        metadata.erase(set_by_server);
    }
    metadata["uid"] = uid;
    metadata["creationTimestamp"] = now;
    if (type.generation) metadata["generation"] = 1;
    if (type.status_subresource && !type.creates_with_status) body.erase("status");
    return {};
}

outcome<void> check_name(const write_target& target, const json::object& metadata) {
    const std::string name = detail::member(metadata, "name");
    if (name == target.name) return {};
    if (name.empty()) {
        return failure::bad_request("the name of the object (" + target.name +
                                    " based on URL) was undeterminable: name must be provided");
    }
    return failure::bad_request("the name of the object (" + name + ") does not match the name on the URL (" +
                                target.name + ")");
}

outcome<void> prepare_update(const resource_type& type, const write_target& target, const stored_object& stored,
                             const json::object& before, json::object& body) {
    if (auto checked = check_name(target, metadata_of(body)); !checked) return checked;
    if (auto checked = detail::check_version_and_uid(type, target, stored, metadata_of(body)); !checked) return checked;
    const json::value* const found = before.if_contains("metadata");
    const json::object none;
    const json::object& old_metadata = found != nullptr && found->is_object() ? found->get_object() : none;
    if (detail::write_part(target.subresource, before, body)) return {};
    if (type.status_subresource) detail::take_over(body, before, "status");
    json::object& metadata = metadata_of(body);
    for (const std::string_view fixed :
         {"name", "namespace", "uid", "resourceVersion", "creationTimestamp", "generation", "generateName",
          "deletionTimestamp", "deletionGracePeriodSeconds"}) {
        detail::take_over(metadata, old_metadata, fixed);
    }
    if (stored.terminating()) {
        if (auto checked = detail::check_finalizers(type, target, old_metadata, metadata); !checked) return checked;
    }
    return {};
}

bool is_released(const resource_type& type, const json::object& content) {
    const json::value* metadata = content.if_contains("metadata");
    if (metadata == nullptr || !metadata->is_object() || !metadata->get_object().contains("deletionTimestamp"))
        return false;
    const json::value whole(content);
    const json::value* grace = json::find(whole, {"metadata", "deletionGracePeriodSeconds"});
    if (grace != nullptr && *grace != 0) return false;
    const json::value* finalizers = json::find(whole, {"metadata", "finalizers"});
    if (finalizers != nullptr && finalizers->is_array() && !finalizers->get_array().empty()) return false;
    if (type.group.empty() && type.plural == "namespaces") {
        const json::value* own = json::find(whole, {"spec", "finalizers"});
        return own == nullptr || !own->is_array() || own->get_array().empty();
    }
    return true;
}

}  // namespace kcontrol::testing

#pragma once

#include <kcontrol/apiserver/crd_validation.hpp>
#include <kcontrol/apiserver/impl/field_managers.ipp>
#include <kcontrol/apiserver/impl/write_rules.ipp>
#include <kcontrol/apiserver/object_store.hpp>
#include <kcontrol/apiserver/structural_schema.hpp>
#include <kcontrol/apiserver/typed_object.hpp>
#include <kcontrol/apiserver/validation.hpp>
#include <kcontrol/runtime/random_uuid.hpp>

#include <algorithm>

namespace kcontrol::testing {
namespace detail {

inline const group_resource& namespaces_id() {
    static const group_resource id("", "namespaces");
    return id;
}

inline const group_resource& definitions_id() {
    static const group_resource id("apiextensions.k8s.io", "customresourcedefinitions");
    return id;
}

// What a real server adds to a new object of these kinds and clients look at.
inline void set_defaults(const resource_type& type, json::object& content) {
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

inline field_writer writer_of(const resource_type& type, const write_target& target, std::string now) {
    field_writer out;
    out.manager = target.manager;
    out.api_version = type.api_version(target.version);
    out.subresource = target.subresource;
    out.now = std::move(now);
    return out;
}

inline void set_managed_fields(json::object& content, json::array managed) {
    if (managed.empty()) {
        metadata_of(content).erase("managedFields");
    } else {
        metadata_of(content)["managedFields"] = std::move(managed);
    }
}

// `managedFields: [{}]` is how a client says that nobody owns anything any more.
inline bool resets_managed_fields(const json::object& body) {
    const json::value* metadata = body.if_contains("metadata");
    const json::value* list = metadata == nullptr ? nullptr : json::find(*metadata, {"managedFields"});
    if (list == nullptr || !list->is_array() || list->get_array().size() != 1) return false;
    const json::value& only = list->get_array().front();
    return only.is_object() && only.get_object().empty();
}

// apimachinery's alphabet of generated names: no vowels, no look-alikes.
inline std::string random_suffix(std::uint64_t random) {
    constexpr std::string_view alphabet = "bcdfghjklmnpqrstvwxz2456789";
    std::string out;
    for (int i = 0; i < 5; ++i, random /= alphabet.size()) out.push_back(alphabet[random % alphabet.size()]);
    return out;
}

}  // namespace detail

KCONTROL_DECL object_store::object_store(store_inputs inputs, store_options options)
    : inputs_(std::move(inputs)), options_(options), version_(options.first_version()) {}

KCONTROL_DECL store_snapshot object_store::snapshot() const {
    store_snapshot out;
    for (const auto& [id, table] : tables_) out.tables.emplace(id, *table);
    out.version = version_;
    return out;
}

KCONTROL_DECL void object_store::restore(const store_snapshot& then) {
    for (const auto& [id, table] : tables_) table->set_removed();
    tables_.clear();
    version_ = then.version;
    for (const auto& [id, table] : then.tables) {
        tables_.emplace(id, std::make_shared<resource_table>(table)).first->second->compact(version_);
    }
    const table_ptr namespaces = this->table(detail::namespaces_id());
    if (namespaces == nullptr) return;
    const auto all = namespaces->objects();
    for (const auto& [key, object] : all) sweep_namespace(key.name);
}

KCONTROL_DECL object_store::table_ptr object_store::add_resource(resource_type type) {
    table_ptr& slot = tables_[type.id()];
    if (slot != nullptr) {
        slot->set_type(std::move(type));
    } else {
        slot = std::make_shared<resource_table>(std::move(type), version_, options_.history_window());
    }
    return slot;
}

KCONTROL_DECL bool object_store::remove_resource(const group_resource& id) {
    const table_ptr gone = table(id);
    if (gone == nullptr) return false;
    const auto objects = gone->objects();
    for (const auto& [key, object] : objects) commit(*gone, key, change::deleted, object->content());
    gone->set_removed();
    tables_.erase(id);
    if (listener_) listener_(*gone, change::deleted, nullptr);
    return true;
}

KCONTROL_DECL object_store::table_ptr object_store::table(const group_resource& id) const {
    const auto found = tables_.find(id);
    return found == tables_.end() ? nullptr : found->second;
}

KCONTROL_DECL outcome<object_ptr> object_store::create(resource_table& table, write_target target, json::object body,
                                                       bool dry_run) {
    return store_new(table, std::move(target), std::move(body), nullptr, dry_run);
}

KCONTROL_DECL outcome<object_ptr> object_store::store_new(resource_table& table, write_target target, json::object body,
                                                          const json::array* managed, bool dry_run) {
    const resource_type& type = table.type();
    if (target.version.empty()) target.version = type.versions.front();
    if (auto checked = read_as_typed(type, target, body); !checked) return checked.error();
    if (auto checked = check_and_normalise(type, target, body); !checked) return checked.error();
    if (auto named = choose_name(table, target, body); !named) return named.error();
    const std::string name = detail::member(metadata_of(body), "name");
    if (auto allowed = check_namespace(type, target, name); !allowed) return allowed.error();
    if (auto ready = prepare_create(type, target, body, make_uid(), inputs_.timestamp()); !ready) return ready.error();
    detail::set_defaults(type, body);
    if (auto ready = complete(type, target, body, nullptr); !ready) return ready.error();
    if (managed != nullptr && !managed->empty()) {
        metadata_of(body)["managedFields"] = *managed;
    } else if (managed == nullptr && options_.complete_objects()) {
        detail::set_managed_fields(body, first_managed_fields(type, target, body));
    }
    const namespaced_name key(target.namespace_, name);
    if (const object_ptr there = table.get(key)) {
        failure refused = failure::already_exists(type.id(), name);
        if (there->terminating()) refused.message = "object is being deleted: " + refused.message;
        return refused;
    }
    if (dry_run) return std::make_shared<const stored_object>(std::move(body));
    return commit(table, key, change::added, std::move(body));
}

KCONTROL_DECL outcome<object_ptr> object_store::update(resource_table& table, write_target target, json::object body,
                                                       bool dry_run) {
    if (target.version.empty()) target.version = table.type().versions.front();
    const bool may_make = table.type().create_on_update && target.subresource.empty() && !target.is_patch;
    if (may_make && table.get({target.namespace_, target.name}) == nullptr &&
        detail::member(metadata_of(body), "name") == target.name) {
        return store_new(table, std::move(target), std::move(body), nullptr, dry_run);
    }
    const json::array nobody;
    const bool reset = detail::resets_managed_fields(body);
    return store_changed(table, target, std::move(body), reset ? &nobody : nullptr, dry_run);
}

KCONTROL_DECL outcome<object_ptr> object_store::store_changed(resource_table& table, const write_target& target,
                                                              json::object body, const json::array* managed,
                                                              bool dry_run) {
    const resource_type& type = table.type();
    const namespaced_name key(target.namespace_, target.name);
    if (auto checked = read_as_typed(type, target, body); !checked) return checked.error();
    if (auto checked = check_and_normalise(type, target, body); !checked) return checked.error();
    const object_ptr stored = table.get(key);
    if (stored == nullptr) return failure::not_found(type.id(), target.name);
    if (auto ready = prepare_update(type, target, *stored, body); !ready) return ready.error();
    const json::object before = stored->content();
    if (auto ready = complete(type, target, body, &before); !ready) return ready.error();
    if (managed != nullptr) {
        detail::set_managed_fields(body, *managed);
    } else if (stored->managed()) {
        const auto writer = detail::writer_of(type, target, inputs_.timestamp());
        detail::set_managed_fields(body, follow_update(type, before, body, writer));
    }
    if (body == before) return stored;
    if (dry_run) return std::make_shared<const stored_object>(std::move(body));
    if (!is_released(type, body)) return commit(table, key, change::modified, std::move(body));
    // The last finalizer went. As in Kubernetes the answer shows the object with the version it had before.
    object_ptr answer = std::make_shared<const stored_object>(body);
    commit(table, key, change::deleted, std::move(body));
    return answer;
}

KCONTROL_DECL outcome<object_ptr> object_store::patch(resource_table& table, write_target target, const editor& edit,
                                                      bool dry_run) {
    const resource_type& type = table.type();
    if (target.version.empty()) target.version = type.versions.front();
    const object_ptr stored = table.get({target.namespace_, target.name});
    if (stored == nullptr) return failure::not_found(type.id(), target.name);
    json::value whole = stored->value(type, type.api_version(target.version));
    if (auto edited = edit(whole); !edited) return edited.error();
    if (!whole.is_object()) return failure::unprocessable();
    target.is_patch = true;
    return update(table, std::move(target), std::move(whole.get_object()), dry_run);
}

KCONTROL_DECL outcome<void> object_store::read_as_typed(const resource_type& type, const write_target& target,
                                                        json::object& body) const {
    const schema_type* schema = options_.complete_objects() ? type.schema_in(target.version) : nullptr;
    const structural_schema* structure = options_.complete_objects() ? type.structure_in(target.version) : nullptr;
    if (schema == nullptr && structure == nullptr) return {};
    // What the path and the kind say is checked before, and by others.
    const json::value* kind = body.if_contains("kind");
    if (kind != nullptr && kind->is_string() && kind->get_string() != std::string_view(type.kind)) return {};
    const std::string refusal =
        type.kind + " in version \"" + target.version + "\" cannot be handled as a " + type.kind + ": ";
    std::vector<std::string> odd;
    if (structure != nullptr) {
        structure->prune(body, odd);
        for (auto& path : odd) path = "unknown field \"" + path + "\"";
        structure->set_defaults(body);
    } else {
        auto reading = read_typed(*schema, body);
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
    return failure::invalid({}, "", "patch", "FieldValueInvalid",
                            "Invalid value: " + json::serialize(json::value(json::serialize(body))) + ": " + text);
}

KCONTROL_DECL outcome<void> object_store::complete(const resource_type& type, const write_target& target,
                                                   json::object& body, const json::object* before) const {
    if (!options_.complete_objects()) return {};
    std::vector<field_problem> problems;
    if (type.custom) {
        problems = validate_builtin(type, body, before);  // its metadata
        const structural_schema* structure = type.structure_in(target.version);
        if (structure != nullptr) {
            for (auto& problem : structure->validate(body, before)) problems.push_back(std::move(problem));
        }
    } else if (const schema_type* schema = type.schema_in(target.version)) {
        if (type.group.empty() && type.plural == "secrets") take_string_data(body);
        show_zeros(*schema, body);
        set_api_defaults(type, *schema, body);
        const bool defines = type.id() == detail::definitions_id();
        if (defines) set_definition_defaults(body);
        if (before == nullptr) set_initial_values(type, body);
        if (!target.subresource.empty()) return {};
        problems = defines ? validate_definition(body, before) : validate_builtin(type, body, before);
    }
    if (problems.empty()) return {};
    return failure::invalid(detail::kind_of(type), detail::member(metadata_of(body), "name"), problems);
}

KCONTROL_DECL json::array object_store::first_managed_fields(const resource_type& type, const write_target& target,
                                                             const json::object& body) const {
    json::object empty, made = body;
    if (const schema_type* schema = type.schema_in(target.version)) show_zeros(*schema, empty);
    if (type.status_subresource && !type.creates_with_status) {
        empty.erase("status");
        made.erase("status");
    }
    return follow_update(type, empty, made, detail::writer_of(type, target, inputs_.timestamp()));
}

KCONTROL_DECL void object_store::compact(std::uint64_t version) {
    for (const auto& [id, table] : tables_) table->compact(std::min(version, version_));
}

KCONTROL_DECL void object_store::set_history_window(std::size_t events) {
    options_.history_window(events);
    for (const auto& [id, table] : tables_) table->set_window(events);
}

KCONTROL_DECL outcome<void> object_store::check_namespace(const resource_type& type, const write_target& target,
                                                          std::string_view name) const {
    if (!type.namespaced) return {};
    const table_ptr namespaces = table(detail::namespaces_id());
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

KCONTROL_DECL outcome<void> object_store::choose_name(const resource_table& table, write_target& target,
                                                      json::object& body) {
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

KCONTROL_DECL object_ptr object_store::commit(resource_table& table, const namespaced_name& key, change what,
                                              json::object content) {
    store_event event;
    event.what = what;
    event.version = ++version_;
    event.key = key;
    event.previous = table.get(key);
    set_resource_version(content, version_);
    event.object = std::make_shared<const stored_object>(std::move(content));
    object_ptr object = event.object;
    table.commit(std::move(event));
    if (listener_) listener_(table, what, object);
    if (what == change::deleted && !key.namespace_.empty()) sweep_namespace(key.namespace_);
    return object;
}

KCONTROL_DECL std::string object_store::make_uid() {
    const std::uint64_t first = inputs_.random();
    return uuid_of_random(first, inputs_.random());
}

}  // namespace kcontrol::testing

#include "testserver/object_store.hpp"

#include <kcontrol/runtime/random_uuid.hpp>

#include "testserver/crd_validation.hpp"
#include "testserver/field_managers.hpp"
#include "testserver/node_ports.hpp"
#include "testserver/structural_schema.hpp"
#include "testserver/typed_object.hpp"
#include "testserver/validation.hpp"
#include "testserver/write_changes.hpp"
#include "testserver/write_rules.hpp"

#include <algorithm>
#include <map>

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

}  // namespace

const group_resource& namespaces_id() {
    static const group_resource id("", "namespaces");
    return id;
}

const group_resource& definitions_id() {
    static const group_resource id("apiextensions.k8s.io", "customresourcedefinitions");
    return id;
}

namespace {

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

}  // namespace

field_writer writer_of(const resource_type& type, const write_target& target, std::string now) {
    field_writer out;
    out.manager = target.manager;
    out.api_version = type.api_version(target.version);
    out.subresource = target.subresource;
    out.now = std::move(now);
    return out;
}

namespace {

void set_managed_fields(json::object& content, json::array managed) {
    if (managed.empty()) {
        metadata_of(content).erase("managedFields");
    } else {
        metadata_of(content)["managedFields"] = std::move(managed);
    }
}

// Who names a uid means an object that is there.
failure missing_with_uid(const resource_type& type, const write_target& target, const std::string& uid) {
    return failure::conflict(
        type.id(), target.name,
        "StorageError: invalid object, Code: 4, Key: /registry/" + type.plural + "/" +
            (type.namespaced ? target.namespace_ + "/" : std::string()) + target.name +
            ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: " + uid +
            ", UID in object meta: ");
}

// `managedFields: [{}]` is how a client says that nobody owns anything any more.
bool resets_managed_fields(const json::object& body) {
    const json::value* metadata = body.if_contains("metadata");
    const json::value* list = metadata == nullptr ? nullptr : json::find(*metadata, {"managedFields"});
    if (list == nullptr || !list->is_array() || list->get_array().size() != 1) return false;
    const json::value& only = list->get_array().front();
    return only.is_object() && only.get_object().empty();
}

// apimachinery's alphabet of generated names: no vowels, no look-alikes.
std::string random_suffix(std::uint64_t random) {
    constexpr std::string_view alphabet = "bcdfghjklmnpqrstvwxz2456789";
    std::string out;
    for (int i = 0; i < 5; ++i, random /= alphabet.size()) out.push_back(alphabet[random % alphabet.size()]);
    return out;
}

}  // namespace
const std::map<group_resource, resource_table>& tables_of(const store_snapshot& snapshot) {
    static const std::map<group_resource, resource_table> none;
    return snapshot.tables == nullptr ? none : snapshot.tables->by_resource;
}

}  // namespace detail

object_store::object_store(store_inputs inputs, store_options options)
    : inputs_(std::move(inputs)), options_(options), version_(options.first_version()) {}

store_snapshot object_store::snapshot() const {
    auto held = std::make_shared<detail::stored_tables>();
    for (const auto& [id, table] : tables_) held->by_resource.emplace(id, *table);
    store_snapshot out;
    out.version = version_;
    out.tables = std::move(held);
    return out;
}

void object_store::restore(const store_snapshot& then) {
    for (const auto& [id, table] : tables_) table->set_removed();
    tables_.clear();
    version_ = then.version;
    for (const auto& [id, table] : detail::tables_of(then)) {
        tables_.emplace(id, std::make_shared<resource_table>(table)).first->second->compact(version_);
    }
    share_restored_events();
    const table_ptr namespaces = this->table(detail::namespaces_id());
    if (namespaces == nullptr) return;
    const auto all = namespaces->objects();
    for (const auto& [key, object] : all) sweep_namespace(key.name);
}

object_store::table_ptr object_store::add_resource(resource_type type) {
    table_ptr& slot = tables_[type.id()];
    if (slot != nullptr) {
        slot->set_type(std::move(type));
        adopt_schema(*slot);
    } else {
        slot = std::make_shared<resource_table>(std::move(type), version_, options_.history_window());
    }
    return slot;
}

// Objects that were stored before are read by the schema that there is now: with its defaults, without what it does not
// know. That is no change of theirs.
void object_store::adopt_schema(resource_table& table) {
    const resource_type& type = table.type();
    if (!options_.default_and_validate() || !type.custom) return;
    const auto objects = table.objects();
    for (const auto& [key, object] : objects) {
        const std::string& version = object->written_in().empty() ? type.storage_version : object->written_in();
        const structural_schema* structure = type.structure_in(version);
        if (structure == nullptr) continue;
        json::object content = object->content();
        const json::object before = content;
        std::vector<std::string> unknown;
        structure->prune(content, unknown);
        structure->set_defaults(content);
        if (content == before) continue;
        table.show(key, std::make_shared<const stored_object>(std::move(content), object->written_in()));
    }
}

bool object_store::remove_resource(const group_resource& id) {
    const table_ptr gone = table(id);
    if (gone == nullptr) return false;
    const auto objects = gone->objects();
    for (const auto& [key, object] : objects) commit(*gone, key, change::deleted, object->content());
    gone->set_removed();
    tables_.erase(id);
    if (listener_) listener_(*gone, nullptr);
    return true;
}

object_store::table_ptr object_store::table(const group_resource& id) const {
    const auto found = tables_.find(id);
    return found == tables_.end() ? nullptr : found->second;
}

namespace {

// With its version and kind, which are not kept with each object.
json::object named(const resource_type& type, const std::string& version, const json::object& body) {
    json::object out;
    out["apiVersion"] = type.api_version(version);
    out["kind"] = type.kind;
    for (const auto& member : body) out[member.key()] = member.value();
    return out;
}

}  // namespace

json::value pending_write::whole(const resource_type& type) const {
    return json::value(named(type, target.version, body));
}

outcome<object_ptr> object_store::create(resource_table& table, write_target target, json::object body, bool dry_run) {
    return store_at_once(table, begin_create(table, std::move(target), std::move(body)), dry_run);
}

outcome<object_ptr> object_store::update(resource_table& table, write_target target, json::object body, bool dry_run) {
    return store_at_once(table, begin_update(table, std::move(target), std::move(body)), dry_run);
}

outcome<object_ptr> object_store::patch(resource_table& table, write_target target, const editor& edit, bool dry_run) {
    return store_at_once(table, begin_patch(table, std::move(target), edit), dry_run);
}

outcome<object_ptr> object_store::store_at_once(resource_table& table, outcome<pending_write> begun, bool dry_run) {
    if (!begun) return begun.error();
    if (auto ready = prepare(table, *begun); !ready) return ready.error();
    return finish(table, std::move(*begun), dry_run);
}

outcome<pending_write> object_store::begin_create(const resource_table& table, write_target target,
                                                  json::object body) const {
    const resource_type& type = table.type();
    if (target.version.empty()) target.version = type.versions.front();
    if (auto checked = read_as_typed(type, target, body); !checked) return checked.error();
    if (auto checked = check_and_normalise(type, target, body); !checked) return checked.error();
    pending_write out;
    out.target = std::move(target);
    out.body = std::move(body);
    return out;
}

outcome<pending_write> object_store::begin_update(const resource_table& table, write_target target, json::object body,
                                                  object_ptr live) const {
    const resource_type& type = table.type();
    if (target.version.empty()) target.version = type.versions.front();
    const object_ptr stored = table.get({target.namespace_, target.name});
    const bool may_make = type.create_on_update && target.subresource.empty() && !target.is_patch;
    if (may_make && stored == nullptr && detail::member(metadata_of(body), "name") == target.name) {
        const std::string uid = detail::member(metadata_of(body), "uid");
        if (!uid.empty()) return detail::missing_with_uid(type, target, uid);
        metadata_of(body).erase("resourceVersion");  // a real server does not look at it
        return begin_create(table, std::move(target), std::move(body));
    }
    const bool reset = detail::resets_managed_fields(body);
    if (auto checked = read_as_typed(type, target, body); !checked) return checked.error();
    if (auto checked = check_and_normalise(type, target, body); !checked) return checked.error();
    if (!target.is_patch) {
        if (auto checked = check_name(target, metadata_of(body)); !checked) return checked.error();
    }
    if (stored == nullptr) return failure::not_found(type.id(), target.name);
    pending_write out;
    out.target = std::move(target);
    out.body = std::move(body);
    out.stored = stored;
    out.live = live == nullptr ? stored : std::move(live);
    if (reset) out.managed.emplace();
    return out;
}

outcome<pending_write> object_store::begin_patch(const resource_table& table, write_target target, const editor& edit,
                                                 object_ptr live) const {
    const resource_type& type = table.type();
    if (target.version.empty()) target.version = type.versions.front();
    if (live == nullptr) live = table.get({target.namespace_, target.name});
    if (live == nullptr) return failure::not_found(type.id(), target.name);
    json::object before = live->content();
    json::value whole = json::object();
    json::object& members = whole.get_object();
    members.reserve(before.size() + 2);
    members.emplace("apiVersion", type.api_version(target.version));
    members.emplace("kind", type.kind);
    for (const auto& member : before) members.emplace(member.key(), member.value());
    if (auto edited = edit(whole); !edited) return edited.error();
    if (!whole.is_object()) return failure::unprocessable();
    target.is_patch = true;
    auto begun = begin_update(table, std::move(target), std::move(whole.get_object()), std::move(live));
    if (begun && !begun->creates()) begun->before = std::move(before);
    return begun;
}

outcome<void> object_store::may_create(const resource_type& type, const pending_write& write) const {
    const json::value* metadata = write.body.if_contains("metadata");
    const json::object none;
    return check_namespace(type, write.target,
                           detail::member(metadata == nullptr ? none : metadata->get_object(), "name"));
}

outcome<void> object_store::take_admitted(const resource_type& type, pending_write& write, json::object whole) const {
    write_target reading = write.target;
    reading.unknown_fields = write_target::field_validation::ignore;
    reading.warnings = nullptr;
    if (auto checked = read_as_typed(type, reading, whole); !checked) return checked.error();
    if (auto checked = check_and_normalise(type, reading, whole); !checked) return checked.error();
    if (!write.asked) write.asked = std::move(write.body);
    write.body = std::move(whole);
    return {};
}

outcome<void> object_store::prepare(const resource_table& table, pending_write& write) {
    if (!write.creates()) return prepare_changed(table.type(), write, write.body);
    return prepare_new(table, write, write.body);
}

outcome<void> object_store::prepare_new(const resource_table& table, pending_write& write, json::object& body) {
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
    return {};
}

outcome<void> object_store::prepare_changed(const resource_type& type, pending_write& write, json::object& body) {
    const write_target& target = write.target;
    if (write.before.empty()) write.before = write.live->content();
    const json::object& before = write.before;
    if (auto ready = prepare_update(type, target, *write.live, before, body); !ready) return ready.error();
    const table_ptr siblings = table(type.id());
    if (options_.default_and_validate() && siblings != nullptr && detail::takes_node_ports(type, target, body)) {
        if (auto free = detail::check_node_ports(*siblings, target, body, &before); !free) return free;
    }
    if (auto ready = complete(type, target, body, &before); !ready) return ready.error();
    follow_generation(type, target, before, body);
    if (write.managed) {
        detail::set_managed_fields(body, *write.managed);
        return {};
    }
    if (!write.live->managed()) return {};
    const auto writer = detail::writer_of(type, target, inputs_.timestamp());
    json::object owned = write.asked ? *write.asked : body;
    const bool usable = !write.asked || (prepare_update(type, target, *write.live, before, owned) &&
                                         complete(type, target, owned, &before));
    detail::set_managed_fields(body, follow_update(type, before, usable ? owned : body, writer));
    return {};
}

bool object_store::is_current(const resource_table& table, const pending_write& write) {
    if (write.creates()) return true;  // somebody else's is found at the end
    return table.get({write.target.namespace_, write.target.name}) == write.stored;
}

outcome<object_ptr> object_store::finish(resource_table& table, pending_write write, bool dry_run) {
    const resource_type& type = table.type();
    const bool unchanged = !write.creates() && (write.encoded ? changes_nothing(write.stored->content(), *write.encoded)
                                                              : changes_nothing(write.before, write.body));
    json::object content = write.encoded ? std::move(*write.encoded) : std::move(write.body);
    std::string written_in = write.encoded || type.conversion == nullptr ? type.storage_version : write.target.version;
    if (write.creates()) {
        const std::string name = detail::member(metadata_of(content), "name");
        const namespaced_name key(write.target.namespace_, name);
        if (const object_ptr there = table.get(key)) {
            failure refused = failure::already_exists(type.id(), name);
            if (there->terminating()) refused.message = "object is being deleted: " + refused.message;
            return refused;
        }
        if (dry_run) return std::make_shared<const stored_object>(std::move(content), std::move(written_in));
        return commit(table, key, change::added, std::move(content), std::move(written_in));
    }
    const namespaced_name key(write.target.namespace_, write.target.name);
    if (unchanged) return write.stored;
    if (dry_run) return std::make_shared<const stored_object>(std::move(content), std::move(written_in));
    if (!is_released(type, content)) {
        return commit(table, key, change::modified, std::move(content), std::move(written_in));
    }
    // The last finalizer went. As in Kubernetes the answer shows the object with the version it had before.
    object_ptr answer = std::make_shared<const stored_object>(content, written_in);
    commit(table, key, change::deleted, std::move(content), std::move(written_in));
    return answer;
}

namespace {

failure unreadable_patch(const std::string& patched, const std::string& why) {
    return failure::invalid({}, "", "patch", "FieldValueInvalid",
                            "Invalid value: " + json::serialize(json::value(patched)) + ": " + why);
}

}  // namespace

outcome<void> object_store::read_as_typed(const resource_type& type, const write_target& target,
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
        if (reading.problem && target.is_patch) return unreadable_patch(json::serialize(body), *reading.problem);
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
    return unreadable_patch(patched, text);
}

outcome<void> object_store::complete(const resource_type& type, const write_target& target, json::object& body,
                                     const json::object* before) const {
    if (!options_.default_and_validate()) return {};
    std::vector<field_problem> problems;
    if (type.custom) {
        problems = validate_builtin(type, body, before);  // its metadata
        const structural_schema* structure = type.structure_in(target.version);
        if (structure != nullptr) {
            // Rules may speak of the kind and the version.
            const json::object now = named(type, target.version, body);
            const json::object old = before != nullptr ? named(type, target.version, *before) : json::object();
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
        }
        if (!target.subresource.empty()) return {};
        problems =
            defines ? validate_definition(body, before, options_.lenient_cel()) : validate_builtin(type, body, before);
    }
    if (problems.empty()) return {};
    return failure::invalid(detail::kind_of(type), detail::member(metadata_of(body), "name"), problems);
}

json::array object_store::first_managed_fields(const resource_type& type, const write_target& target,
                                               const json::object& body) const {
    json::object empty, made = body;
    if (const schema_type* schema = type.schema_in(target.version)) show_zeros(*schema, empty);
    if (type.status_subresource && !type.creates_with_status) {
        empty.erase("status");
        made.erase("status");
    }
    return follow_update(type, empty, made, detail::writer_of(type, target, inputs_.timestamp()));
}

void object_store::compact(std::uint64_t version) {
    for (const auto& [id, table] : tables_) table->compact(std::min(version, version_));
}

void object_store::set_history_window(std::size_t events) {
    options_.history_window(events);
    for (const auto& [id, table] : tables_) table->set_window(events);
}

outcome<void> object_store::check_namespace(const resource_type& type, const write_target& target,
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

outcome<void> object_store::choose_name(const resource_table& table, const write_target& target, json::object& body) {
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

object_ptr object_store::commit(resource_table& table, const namespaced_name& key, change what, json::object content,
                                std::string written_in) {
    store_event event;
    event.what = what;
    event.version = ++version_;
    event.key = key;
    event.previous = table.get(key);
    set_resource_version(content, version_);
    if (written_in.empty() && event.previous != nullptr) written_in = event.previous->written_in();
    event.object = std::make_shared<const stored_object>(std::move(content), std::move(written_in));
    table.commit(event);
    const auto shared = share_event(table, event);
    if (listener_) listener_(table, &event);
    if (shared && listener_) listener_(*shared->table, &shared->event);
    if (what == change::deleted && !key.namespace_.empty()) sweep_namespace(key.namespace_);
    return event.object;
}

std::string object_store::make_uid() {
    const std::uint64_t first = inputs_.random();
    return uuid_of_random(first, inputs_.random());
}

}  // namespace kcontrol::testing

#include "testserver/object_store.hpp"

#include "testserver/structural_schema.hpp"
#include "testserver/write_changes.hpp"
#include "testserver/write_rules.hpp"

#include <algorithm>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

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

}  // namespace

const std::map<group_resource, resource_table>& tables_of(const store_snapshot& snapshot) {
    static const std::map<group_resource, resource_table> none;
    return snapshot.tables == nullptr ? none : snapshot.tables->by_resource;
}

}  // namespace detail

object_store::object_store(store_inputs inputs, store_options options)
    : inputs_(std::move(inputs)),
      options_(options),
      preparation_(inputs_, options_, tables_),
      version_(options.first_version()) {}

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
    if (auto ready = preparation_.prepare(table, *begun); !ready) return ready.error();
    return finish(table, std::move(*begun), dry_run);
}

outcome<pending_write> object_store::begin_create(const resource_table& table, write_target target,
                                                  json::object body) const {
    const resource_type& type = table.type();
    if (target.version.empty()) target.version = type.versions.front();
    if (auto checked = preparation_.read_as_typed(type, target, body); !checked) return checked.error();
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
    if (auto checked = preparation_.read_as_typed(type, target, body); !checked) return checked.error();
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
    return preparation_.check_namespace(type, write.target,
                                        detail::member(metadata == nullptr ? none : metadata->get_object(), "name"));
}

outcome<void> object_store::take_admitted(const resource_type& type, pending_write& write, json::object whole) const {
    write_target reading = write.target;
    reading.unknown_fields = write_target::field_validation::ignore;
    reading.warnings = nullptr;
    if (auto checked = preparation_.read_as_typed(type, reading, whole); !checked) return checked.error();
    if (auto checked = check_and_normalise(type, reading, whole); !checked) return checked.error();
    if (!write.asked) write.asked = std::move(write.body);
    write.body = std::move(whole);
    return {};
}

outcome<void> object_store::prepare(const resource_table& table, pending_write& write) const {
    return preparation_.prepare(table, write);
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

void object_store::compact(std::uint64_t version) {
    for (const auto& [id, table] : tables_) table->compact(std::min(version, version_));
}

void object_store::set_history_window(std::size_t events) {
    options_.history_window(events);
    for (const auto& [id, table] : tables_) table->set_window(events);
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

}  // namespace kcontrol::testing

// How the garbage collector acts on the server: it is shown every change and does what it wants done, after a while.
#include "testserver/api_server_core.hpp"
#include "testserver/event_forms.hpp"
#include "testserver/json_values.hpp"
#include "testserver/write_rules.hpp"

#include <algorithm>

namespace kcontrol::inline v0_1::testing::detail {
namespace {

// "Deployment.apps": kinds of one group are one, in whatever version a reference names them.
std::string kind_of_reference(std::string_view api_version, std::string_view kind) {
    const std::size_t slash = api_version.find('/');
    if (slash == std::string_view::npos) return std::string(kind);
    return std::string(kind) + "." + std::string(api_version.substr(0, slash));
}

const resource_type* type_of_reference(const object_store& store, std::string_view api_version, std::string_view kind) {
    for (const auto& [id, table] : store.tables()) {
        const resource_type& type = table->type();
        if (type.kind != kind) continue;
        for (const auto& version : type.versions) {
            if (type.api_version(version) == api_version) return &type;
        }
    }
    return nullptr;
}

owner_link link_of(const object_store& store, const json::value& reference, bool namespaced) {
    const std::string_view api_version = json::get_string(reference, {"apiVersion"});
    const std::string_view kind = json::get_string(reference, {"kind"});
    owner_link link;
    link.kind = kind_of_reference(api_version, kind);
    link.name = json::get_string(reference, {"name"});
    link.uid = json::get_string(reference, {"uid"});
    const json::value* blocks = json::find(reference, {"blockOwnerDeletion"});
    link.blocks = blocks != nullptr && *blocks == true;
    const resource_type* type = type_of_reference(store, api_version, kind);
    link.resolvable = type != nullptr && (namespaced || !type->namespaced);
    return link;
}

graph_node node_of(const object_store& store, const resource_type& type, const stored_object& object) {
    const json::value content(object.content());
    graph_node node;
    node.id = type.id();
    node.key = {std::string(json::get_string(content, {"metadata", "namespace"})),
                std::string(json::get_string(content, {"metadata", "name"}))};
    node.kind = kind_of(type).text();
    node.uid = object.uid();
    node.deleting = object.terminating();
    for (const auto& name : strings_of(json::find(content, {"metadata", "finalizers"}))) {
        node.waits = node.waits || name == foreground_finalizer;
        node.orphans = node.orphans || name == orphan_finalizer;
    }
    const json::value* owners = json::find(content, {"metadata", "ownerReferences"});
    if (owners == nullptr || !owners->is_array()) return node;
    for (const auto& reference : owners->get_array()) node.owners.push_back(link_of(store, reference, type.namespaced));
    return node;
}

// Takes what `unwanted` holds for out of a list in metadata.
template <class Unwanted>
void erase_from_metadata(json::value& whole, std::string_view name, const Unwanted& unwanted) {
    json::object& metadata = metadata_of(whole.as_object());
    json::value* list = metadata.if_contains(name);
    if (list == nullptr || !list->is_array()) return;
    json::array rest;
    for (const auto& item : list->get_array()) {
        if (!unwanted(item)) rest.push_back(item);
    }
    if (rest.empty()) {
        metadata.erase(name);
    } else {
        *list = std::move(rest);
    }
}

void apply_action(json::value& whole, const collector_action& action) {
    if (action.what == collector_action::kind::drop_finalizer) {
        erase_from_metadata(whole, "finalizers",
                            [&](const json::value& name) { return name == json::value(action.finalizer); });
    } else if (action.what == collector_action::kind::drop_owners) {
        erase_from_metadata(whole, "ownerReferences", [&](const json::value& reference) {
            return action.uids.contains(std::string(json::get_string(reference, {"uid"})));
        });
    } else {
        json::value* list = metadata_of(whole.as_object()).if_contains("ownerReferences");
        if (list == nullptr || !list->is_array()) return;
        for (auto& reference : list->get_array()) {
            if (reference.is_object()) reference.get_object()["blockOwnerDeletion"] = false;
        }
    }
}

}  // namespace

void api_server_core::changed(const resource_table& table, const store_event* event) {
    if (event == nullptr) return wake_watches(&table);
    tell_watches(table, *event);
    if (table.type().plural == "pods" && table.type().group.empty()) {
        if (event->what == change::deleted) container_logs.forget(event->key);
        log_written.notify_all();
    }
    std::erase_if(observers, [](const auto& one) { return one.expired(); });
    for (const auto& one : std::vector(observers)) {
        if (const auto observer = one.lock()) (*observer)(table, event->what, *event->object);
    }
    if (options.collects_garbage()) {
        show_collector(table, event->what, *event->object);
        start_collecting();
    }
    // At the end: the table may not be served any more after that.
    if (event->what == change::deleted && table.type().custom) finish_definition(group_resource(table.type().id()));
}

void api_server_core::show_collector(const resource_table& table, change what, const stored_object& object) {
    if (other_events(table.type().id())) return;  // as a real one, it passes Events over
    if (what == change::deleted) {
        collector_.on_deleted(object.uid());
    } else {
        collector_.on_observed(node_of(store, table.type(), object));
    }
}

void api_server_core::restart_collector() {
    collector_.clear();
    if (!options.collects_garbage()) return;
    for (const auto& [id, table] : store.tables()) {
        for (const auto& [key, object] : table->objects()) show_collector(*table, change::added, *object);
    }
    start_collecting();
}

void api_server_core::start_collecting() {
    if (collecting_ || collector_.idle() || !spawn) return;
    collecting_ = true;
    spawn(collect());
}

awaitable<void> api_server_core::collect() {
    const auto keep_alive = shared_from_this();
    const wake why = co_await sleep_for(env, options.collection_delay(), closing.get_token());
    if (why == wake::stopped) co_return;
    while (const auto action = collector_.next()) carry_out(*action);
    collecting_ = false;
}

void api_server_core::carry_out(const collector_action& action) {
    const auto table = store.table(action.id);
    if (table == nullptr) return;
    if (action.what == collector_action::kind::remove) {
        static_cast<void>(remove(*table, action.key, delete_request().uid(action.uid).dependents(action.policy)));
        return;
    }
    if (action.what == collector_action::kind::report_owners) return report_owners(*table, action);
    write_target target("", action.key.namespace_, action.key.name);
    target.manager = "kube-controller-manager";
    static_cast<void>(store.patch(*table, target, [&action](json::value& whole) -> outcome<void> {
        if (json::get_string(whole, {"metadata", "uid"}) == action.uid) apply_action(whole, action);
        return {};
    }));
}

void api_server_core::report_owners(const resource_table& table, const collector_action& action) {
    const object_ptr object = table.get(action.key);
    if (object == nullptr || object->uid() != action.uid) return;
    const resource_type& type = table.type();
    event_note note;
    note.about = object->value(type, type.api_version(type.versions.front()));
    note.warning = true;
    note.reason = "OwnerRefInvalidNamespace";
    note.component = "garbage-collector-controller";
    const json::value* owners = json::find(note.about, {"metadata", "ownerReferences"});
    if (owners == nullptr || !owners->is_array()) return;
    const json::array references = owners->get_array();
    const std::string& ns = action.key.namespace_;
    for (const auto& reference : references) {
        const auto said = [&reference](std::string_view name) {
            return std::string(json::get_string(reference, {name}));
        };
        if (!action.uids.contains(said("uid"))) continue;
        note.message = "ownerRef [" + said("apiVersion") + "/" + said("kind") + ", namespace: " + ns +
                       ", name: " + said("name") + ", uid: " + said("uid") + "] does not exist in namespace " +
                       json::serialize(json::value(ns));
        record_event(note, "kube-controller-manager");
    }
}

void api_server_core::record_event(const event_note& note, const std::string& manager) {
    const auto events = store.table({"", "events"});
    if (events == nullptr) return;
    const json::value event = events_.make(note, env.wall_now());
    write_target target("v1", std::string(json::get_string(event, {"metadata", "namespace"})),
                        std::string(json::get_string(event, {"metadata", "name"})));
    target.manager = manager;
    // Kinds like this one are created by an update, too. What can't be written is lost, as on a real server.
    static_cast<void>(store.update(*events, std::move(target), event.get_object()));
}

}  // namespace kcontrol::testing::detail

#include "testserver/collector_shell.hpp"

#include <kcontrol/runtime/wait.hpp>

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

void collector_shell::changed(const resource_table& table, change what, const stored_object& object) {
    show(table, what, object);
    start();
}

void collector_shell::show(const resource_table& table, change what, const stored_object& object) {
    if (other_events(table.type().id())) return;  // as a real one, it passes Events over
    if (what == change::deleted) {
        collector_.on_deleted(object.uid());
    } else {
        collector_.on_observed(node_of(store_, table.type(), object));
    }
}

void collector_shell::restart() {
    collector_.clear();
    for (const auto& [id, table] : store_.tables()) {
        for (const auto& [key, object] : table->objects()) show(*table, change::added, *object);
    }
    start();
}

void collector_shell::start() {
    if (collecting_ || collector_.idle()) return;
    collecting_ = true;
    spawn_(collect());
}

awaitable<void> collector_shell::collect() {
    const wake why = co_await sleep_for(env_, delay_, stop_);
    if (why == wake::stopped) co_return;
    while (const auto action = collector_.next()) carry_out(*action);
    collecting_ = false;
}

void collector_shell::carry_out(const collector_action& action) {
    const auto table = store_.table(action.id);
    if (table == nullptr) return;
    if (action.what == collector_action::kind::remove) {
        static_cast<void>(
            writes_.remove(*table, action.key, delete_request().uid(action.uid).dependents(action.policy)));
        return;
    }
    if (action.what == collector_action::kind::report_owners) return report_owners(*table, action);
    write_target target("", action.key.namespace_, action.key.name);
    target.manager = "kube-controller-manager";
    static_cast<void>(store_.patch(*table, target, [&action](json::value& whole) -> outcome<void> {
        if (json::get_string(whole, {"metadata", "uid"}) == action.uid) apply_action(whole, action);
        return {};
    }));
}

void collector_shell::report_owners(const resource_table& table, const collector_action& action) {
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

void collector_shell::record_event(const event_note& note, const std::string& manager) {
    const auto events = store_.table({"", "events"});
    if (events == nullptr) return;
    const json::value event = events_.make(note, env_.wall_now());
    write_target target("v1", std::string(json::get_string(event, {"metadata", "namespace"})),
                        std::string(json::get_string(event, {"metadata", "name"})));
    target.manager = manager;
    // Kinds like this one are created by an update, too. What can't be written is lost, as on a real server.
    static_cast<void>(store_.update(*events, std::move(target), event.get_object()));
}

}  // namespace kcontrol::testing::detail

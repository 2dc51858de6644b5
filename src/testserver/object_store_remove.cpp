#include "testserver/deletion.hpp"
#include "testserver/namespace_conditions.hpp"
#include "testserver/object_store.hpp"

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

// Takes the namespace controller's own finalizer away; false if it is not there.
bool drop_namespace_finalizer(json::object& content) {
    json::value* spec = content.if_contains("spec");
    if (spec == nullptr || !spec->is_object()) return false;
    json::value* list = spec->get_object().if_contains("finalizers");
    if (list == nullptr || !list->is_array()) return false;
    json::array rest;
    for (const auto& name : list->get_array()) {
        if (name != json::value("kubernetes")) rest.push_back(name);
    }
    if (rest.size() == list->get_array().size()) return false;
    if (rest.empty()) {
        spec->get_object().erase("finalizers");
    } else {
        *list = std::move(rest);
    }
    return true;
}

}  // namespace
}  // namespace detail

outcome<delete_result> object_store::remove(resource_table& table, const namespaced_name& key,
                                            const delete_request& request) {
    const resource_type& type = table.type();
    const object_ptr stored = table.get(key);
    if (stored == nullptr) return failure::not_found(type.id(), key.name);
    const std::string version = std::to_string(stored->version());
    if (!request.uid().empty() && request.uid() != stored->uid()) {
        return failure::conflict(detail::kind_of(type), key.name,
                                 "the UID in the precondition (" + request.uid() +
                                     ") does not match the UID in record (" + stored->uid() +
                                     "). The object might have been deleted and then recreated");
    }
    if (!request.resource_version().empty() && request.resource_version() != version) {
        return failure::conflict(detail::kind_of(type), key.name,
                                 "the ResourceVersion in the precondition (" + request.resource_version() +
                                     ") does not match the ResourceVersion in record (" + version +
                                     "). The object might have been modified");
    }
    if (type.id() == detail::namespaces_id()) return remove_namespace(table, key, stored, request.dry_run());
    json::object content = stored->content();
    delete_result done;
    done.object = stored;
    const deletion_step step = begin_deletion(type, content, request, inputs_.timestamp(), options_.collects_garbage());
    done.deleted = step == deletion_step::remove || step == deletion_step::mark_and_remove;
    if (step == deletion_step::nothing) return done;
    if (request.dry_run()) {
        if (step != deletion_step::remove) {
            done.object = std::make_shared<const stored_object>(std::move(content), stored->written_in());
        }
    } else if (step == deletion_step::remove) {
        // An object that goes at once is shown as it was, without a deletionTimestamp.
        done.object = commit(table, key, change::deleted, std::move(content));
    } else {
        done.object = commit(table, key, change::modified, std::move(content));
        if (done.deleted) commit(table, key, change::deleted, done.object->content());
    }
    return done;
}

// A namespace is shown as Terminating; it goes when it is empty and nobody finalizes it.
outcome<delete_result> object_store::remove_namespace(resource_table& table, const namespaced_name& key,
                                                      const object_ptr& stored, bool dry_run) {
    for (const std::string_view immortal : {"default", "kube-system", "kube-public"}) {
        if (key.name == immortal) {
            return failure::forbidden(table.type().id(), key.name, "this namespace may not be deleted");
        }
    }
    delete_result done;
    done.object = stored;
    if (stored->terminating()) return done;
    json::object content = stored->content();
    metadata_of(content)["deletionTimestamp"] = inputs_.timestamp();
    json::value& status = content["status"];
    if (!status.is_object()) status = json::object();
    status.get_object()["phase"] = "Terminating";
    if (dry_run) {
        done.object = std::make_shared<const stored_object>(std::move(content));
        return done;
    }
    done.object = commit(table, key, change::modified, std::move(content));
    sweep_namespace(key.name);
    return done;
}

void object_store::sweep_namespace(const std::string& name) {
    const table_ptr namespaces = table(detail::namespaces_id());
    const object_ptr swept = namespaces == nullptr ? nullptr : namespaces->get({"", name});
    if (sweeping_ || swept == nullptr || !swept->terminating()) return;
    sweeping_ = true;
    // As in Kubernetes: other objects stay until the last pod has ended, which may need them.
    bool pods_remain = false;
    if (const table_ptr pods = table({"", "pods"})) pods_remain = !sweep_table(*pods, name);
    const auto tables = tables_;
    for (const auto& [id, table] : tables) {
        if (table->type().namespaced && !pods_remain) sweep_table(*table, name);
    }
    sweeping_ = false;
    namespace_remains remains;
    for (const auto& [id, table] : tables_) {
        if (!table->type().namespaced || (pods_remain && id != group_resource("", "pods"))) continue;
        for (const auto& [key, object] : table->objects_in(name)) remains.add(id, *object);
    }
    // Who was told of an object's end may have written the namespace.
    const object_ptr left = namespaces->get({"", name});
    if (left == nullptr) return;
    json::object content = left->content();
    const bool dropped = remains.empty() && detail::drop_namespace_finalizer(content);
    if (remains.empty() && is_released(namespaces->type(), content)) {
        commit(*namespaces, {"", name}, change::deleted, left->content());
        return;
    }
    // Without content it goes with the write that takes the last finalizer away.
    if (remains.show(content, inputs_.timestamp()) || dropped) {
        commit(*namespaces, {"", name}, change::modified, std::move(content));
    }
}

// Deletes what is there of one kind; false if some of it stays for now.
bool object_store::sweep_table(resource_table& table, const std::string& ns) {
    std::vector<namespaced_name> keys;
    for (const auto& [key, object] : table.objects_in(ns)) keys.push_back(key);
    bool empty = true;
    for (const auto& key : keys) {
        const auto removed = remove(table, key);
        empty = empty && (removed ? removed->deleted : removed.error().code == 404);
    }
    return empty;
}

}  // namespace kcontrol::testing

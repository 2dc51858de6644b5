#pragma once

#include <kcontrol/apiserver/impl/object_store.ipp>

namespace kcontrol::testing {

KCONTROL_DECL outcome<delete_result> object_store::remove(resource_table& table, const namespaced_name& key,
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
    json::object content = stored->content();
    json::object& metadata = metadata_of(content);
    const bool is_namespace = type.id() == detail::namespaces_id();
    if (!stored->terminating()) {
        metadata["deletionTimestamp"] = inputs_.timestamp();
        if (!is_namespace) metadata["deletionGracePeriodSeconds"] = 0;
        if (type.generation) detail::count_generation(metadata);
    }
    delete_result done;
    done.object = stored;
    done.gone = is_released(type, content);
    if (done.gone) {
        // An object that goes at once is shown as it was, without a deletionTimestamp.
        if (!request.dry_run()) done.object = commit(table, key, change::deleted, stored->content());
    } else if (!stored->terminating()) {
        if (is_namespace) content["status"].emplace_object()["phase"] = "Terminating";
        done.object = request.dry_run() ? std::make_shared<const stored_object>(std::move(content))
                                        : commit(table, key, change::modified, std::move(content));
        if (is_namespace && !request.dry_run()) sweep_namespace(key.name);
    }
    return done;
}

KCONTROL_DECL void object_store::sweep_namespace(const std::string& name) {
    const table_ptr namespaces = table(detail::namespaces_id());
    const object_ptr swept = namespaces == nullptr ? nullptr : namespaces->get({"", name});
    if (sweeping_ || swept == nullptr || !swept->terminating()) return;
    sweeping_ = true;
    bool empty = true;
    const auto tables = tables_;
    for (const auto& [id, table] : tables) {
        if (!table->type().namespaced) continue;
        std::vector<namespaced_name> keys;
        const auto& objects = table->objects();
        for (auto it = objects.lower_bound({name, ""}); it != objects.end() && it->first.namespace_ == name; ++it) {
            keys.push_back(it->first);
        }
        for (const auto& key : keys) {
            const auto removed = remove(*table, key);
            empty = empty && removed && removed->gone;
        }
    }
    sweeping_ = false;
    if (empty) commit(*namespaces, {"", name}, change::deleted, swept->content());
}

}  // namespace kcontrol::testing

// Events are stored once and served in two groups: each change of one form is a change of the other.
#include "testserver/event_forms.hpp"
#include "testserver/object_store.hpp"
#include "testserver/typed_object.hpp"

#include <utility>

namespace kcontrol::inline v0_1::testing {

object_ptr object_store::in_other_form(const resource_table& from, const resource_table& to,
                                       const stored_object& event) const {
    json::object content = event_in_other_form(from.type().id(), event.content());
    const resource_type& type = to.type();
    const schema_type* schema = options_.default_and_validate() ? type.schema_in(type.versions.front()) : nullptr;
    if (schema != nullptr) show_zeros(*schema, content);
    return std::make_shared<const stored_object>(std::move(content));
}

std::optional<object_store::shared_change> object_store::share_event(const resource_table& table,
                                                                     const store_event& event) {
    const auto id = other_events(table.type().id());
    table_ptr other = id ? this->table(*id) : nullptr;
    if (other == nullptr) return std::nullopt;
    shared_change same;
    same.event.what = event.what;
    same.event.version = event.version;
    same.event.key = event.key;
    same.event.previous = other->get(event.key);
    same.event.object = in_other_form(table, *other, *event.object);
    other->commit(same.event);
    same.table = std::move(other);
    return same;
}

// A snapshot or a file may have been made before both forms were stored.
void object_store::share_restored_events() {
    for (const auto& [id, table] : tables_) {
        const auto other_id = other_events(id);
        const table_ptr other = other_id ? this->table(*other_id) : nullptr;
        if (other == nullptr) continue;
        for (const auto& [key, object] : table->objects()) {
            if (other->get(key) != nullptr) continue;
            store_event same;
            same.version = object->version();
            same.key = key;
            same.object = in_other_form(*table, *other, *object);
            other->commit(std::move(same));
        }
        other->compact(version_);
    }
}

}  // namespace kcontrol::testing

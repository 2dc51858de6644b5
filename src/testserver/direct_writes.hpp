// Writes that no webhook is called for: those of the test's own code and of the server's controllers.
#pragma once

#include "testserver/definition_controller.hpp"
#include "testserver/object_store.hpp"

namespace kcontrol::inline v0_1::testing::detail {

/// The writes of an object_store, and what they mean for the kinds that are served. Results are whole objects.
/// Touched on the server's executor only.
class direct_writes {
public:
    /// `defaults_and_validates`: the store checks definitions itself. The other two outlive it.
    direct_writes(object_store& store, definition_controller& definitions, bool defaults_and_validates)
        : store_(store), definitions_(definitions), store_validates_(defaults_and_validates) {}

    /// The kind of a new CustomResourceDefinition is served from then on.
    outcome<object_ptr> create(resource_table& table, const write_target& target, json::value body);
    /// The kind of a CustomResourceDefinition follows it.
    outcome<object_ptr> update(resource_table& table, const write_target& target, json::value body);
    /// Server-side apply by `target.manager`. Conflicts are refused unless `force`.
    outcome<apply_result> apply(resource_table& table, const write_target& target, json::value config, bool force);
    /// Deletes or marks. With a CustomResourceDefinition its objects and then its kind go.
    outcome<delete_result> remove(resource_table& table, const namespaced_name& key, const delete_request& request);

    /// What is wrong with an object that describes something to the server: a definition or a webhook configuration.
    outcome<void> check_described(const resource_type& type, const json::value& body) const;

private:
    object_store& store_;
    definition_controller& definitions_;
    bool store_validates_;
};

}  // namespace kcontrol::testing::detail

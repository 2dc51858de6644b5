// The server's own work for CustomResourceDefinitions: the kinds that they define are served, and end with them.
#pragma once

#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/testing/api_server_options.hpp>

#include "testserver/object_store.hpp"

#include <set>
#include <string>

namespace kcontrol::inline v0_1::testing::detail {

/// Follows the definitions that are written and deleted. Touched on the server's executor only.
class definition_controller {
public:
    /// All three outlive it.
    definition_controller(environment& env, object_store& store, const api_server_options& options)
        : env_(env), store_(store), options_(options) {}

    /// An object was written. If it is a definition, its kind is served from now on, or no more.
    void written(const resource_table& table, const object_ptr& object);
    /// A definition was deleted or marked. Deletes the objects of its kind. Those with finalizers stay, and the
    /// definition with them.
    void remove_instances(const std::string& name);
    /// Deletes a definition that is terminating once it has no objects; its kind is then not served any more.
    void finish(const group_resource& id);
    /// Whether the definition of a custom kind is being deleted.
    bool is_being_removed(const resource_type& type) const;

private:
    void serve(const json::value& crd);
    void warn_of_rules(const json::value& crd);

    environment& env_;
    object_store& store_;
    const api_server_options& options_;
    std::set<std::string> warned_rules_;  // with lenient_cel()
};

}  // namespace kcontrol::testing::detail

// What a namespace that is being deleted says about its content, in its status. Pure.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/group_resource.hpp>

#include "testserver/stored_object.hpp"

#include <cstddef>
#include <map>
#include <string>

namespace kcontrol::inline v0_1::testing {

/// What is left in a namespace.
class namespace_remains {
public:
    /// One more object of that kind.
    void add(const group_resource& id, const stored_object& object);
    bool empty() const noexcept { return objects_.empty(); }  ///< nothing is left

    /// Sets the five conditions of the namespace controller in the status of a namespace's content; a condition whose
    /// status stays keeps its time. False: all of them are there already.
    ///
    /// Source: pkg/controller/namespace/deletion/status_condition_utils.go, Kubernetes 1.36.
    bool show(json::object& content, const std::string& now) const;

private:
    std::map<std::string, std::size_t> objects_;     // "configmaps." -> how many
    std::map<std::string, std::size_t> finalizers_;  // "example.com/hold" -> on how many
};

}  // namespace kcontrol::testing

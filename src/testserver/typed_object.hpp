// Objects of Kubernetes' own kinds as Go's types would read and show them: unknown fields, types, zeros, defaults.
// Pure.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/resource_type.hpp>

#include "testserver/builtin_schema.hpp"

#include <optional>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// What reading an object found.
class typed_reading {
public:
    std::optional<std::string> problem;  ///< why it can't be read, in Go's words; nothing: it can
    std::vector<std::string> unknown;    ///< `unknown field "spec.foo"`, in the order of the object; they are gone
};

/// Reads an object without apiVersion and kind. What its type does not have is taken away.
typed_reading read_typed(const schema_type& type, json::object& object);

/// Leaves out what Go's JSON leaves out (empty members that are no pointers) and adds what it shows always.
void show_zeros(const schema_type& type, json::object& object);

/// Lists that are always shown and are empty become null: real servers store Protocol Buffers, which don't tell an
/// empty list from none.
void forget_empty_lists(const schema_type& type, json::object& object);

/// Sets the defaults of the kind's API, after which show_zeros() has been done. See docs/apiserver.md for which.
void set_api_defaults(const resource_type& type, const schema_type& schema, json::object& object);

/// Moves a Secret's stringData into its data.
void take_string_data(json::object& secret);

/// What the server decides when the object is made: a Job's selector, a Service's address, a Pod's class.
void set_initial_values(const resource_type& type, json::object& object);

/// The same for an update that leaves out what the server has put there.
void keep_initial_values(const resource_type& type, json::object& object, const json::object& before);

/// A PersistentVolume whose status is written: when it came to a new phase.
void date_phase(json::object& volume, const json::object& before, const std::string& now);

namespace detail {

/// Whether Go has it as the zero value of its type.
bool is_zero(const json::value& v);

}  // namespace detail

}  // namespace kcontrol::testing

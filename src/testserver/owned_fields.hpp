// Sets of places in an object, as server-side apply keeps them (FieldsV1), and what it does with them. Pure.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/resource_type.hpp>

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// A place in an object, each step in FieldsV1's own words: `f:spec`, `k:{"name":"main"}`, `v:"example.com/hold"`.
using owned_path = std::vector<std::string>;

/// The places that a manager owns. A map or list item that is owned itself, not only in parts, is a member, too (`.` in
/// FieldsV1).
using owned_set = std::set<owned_path>;

/// The path as conflicts show it: `.spec.containers[name="main"].image`.
std::string path_text(const owned_path& path);

/// FieldsV1 and back. What is not FieldsV1 is left out.
json::object fields_v1(const owned_set& fields);
owned_set parse_fields_v1(const json::value& fields);

/// Whether the set has a place under `path`, which need not be a member itself.
bool owns_below(const owned_set& fields, const owned_path& path);

/// All places of an object that somebody who gave it owns. `whole`: maps and list items count as such even where the
/// kind's schema has them as structs, which is how an update is recorded.
owned_set fields_of(const resource_type& type, const json::object& object, bool whole);

/// What makes two versions of an object differ.
class field_changes {
public:
    owned_set written;  ///< added or changed
    owned_set removed;  ///< places that are no longer there

    bool empty() const noexcept { return written.empty() && removed.empty(); }
};

/// What differs, without what identifies an object or is the server's own: metadata.name, .uid, .resourceVersion…
field_changes compare_fields(const resource_type& type, const json::object& before, const json::object& after);

/// Takes the members that identify an object out of a set, which nobody owns.
void strip_identity(owned_set& fields);

/// Puts what is applied over an object: maps and keyed lists are merged, anything else is replaced.
void merge_fields(const resource_type& type, json::object& object, const json::object& applied);

/// Takes away what a manager applied the last time (`last`) and nobody has now (`managed`), as Kubernetes does: an item
/// goes with what others put into it, and a list or map that loses all that is in it stays as null.
void prune_fields(const resource_type& type, json::object& object, const owned_set& last, const owned_set& managed);

/// A member that is null though the kind's schema wants a list or an object.
class null_field {
public:
    /// `p`: the path, `t`: the type that the schema wants.
    null_field(std::string p, std::string t) : path(std::move(p)), type(std::move(t)) {}

    std::string path;  ///< `spec.parts`
    std::string type;  ///< "array" or "object"
};

/// All of them; such an object is not valid.
std::vector<null_field> find_null_fields(const resource_type& type, const json::object& object);

/// The list in which two items have the same key, and the key; nothing if there is none.
std::optional<std::string> find_duplicate_item(const resource_type& type, const json::object& object);

namespace detail {

/// Adds all places of a value at `path`; see fields_of().
void collect_fields(const resource_type& type, const owned_path& path, const json::value& v, bool whole,
                    owned_set& out);

}  // namespace detail

}  // namespace kcontrol::testing

// Who owns which fields of an object (metadata.managedFields), and how writes move that. Pure.
#pragma once

#include <kcontrol/testing/failure.hpp>

#include "testserver/owned_fields.hpp"

#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// Who writes, as an entry of managedFields names him.
class field_writer {
public:
    std::string manager;      ///< fieldManager, or who is taken for it: "kubectl"
    std::string api_version;  ///< in which he writes: "apps/v1"
    std::string subresource;  ///< or empty
    std::string now;          ///< RFC 3339
};

/// One entry of managedFields.
class field_manager_entry {
public:
    std::string manager;      ///< who owns the fields
    std::string operation;    ///< "Apply" or "Update"
    std::string api_version;  ///< "apps/v1"; an updater has one entry for each, an applier one
    std::string subresource;  ///< "status"; empty: the object itself
    std::string time;         ///< RFC 3339; of its manager's last change
    owned_set fields;         ///< fieldsV1; an entry without any is not written
};

/// metadata.managedFields of an object, read and written. Entries come in the order of a real server.
std::vector<field_manager_entry> read_managed_fields(const json::object& object);
json::array write_managed_fields(std::vector<field_manager_entry> entries);

/// What an apply comes to.
class applied_fields {
public:
    json::object object;  ///< without managedFields
    json::array managed;  ///< what metadata.managedFields becomes
};

/// Server-side apply of `config` to `live`, an object without apiVersion and kind, or an empty one if there is none.
/// Fields of `live` that nobody is known to own, because nothing was ever applied to it, belong to the manager
/// "before-first-apply", as in Kubernetes. Fails with Conflict where others own what would change, unless forced.
outcome<applied_fields> apply_fields(const resource_type& type, const json::object& live, json::object config,
                                     const field_writer& writer, bool force);

/// managedFields after an ordinary write: the writer owns what he changed, and nobody what he removed.
/// `before` has the managedFields so far.
json::array follow_update(const resource_type& type, const json::object& before, const json::object& after,
                          const field_writer& writer);

}  // namespace kcontrol::testing

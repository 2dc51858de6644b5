// What the in-process API server knows about a kind: its names, versions, scope and habits.
#pragma once

#include <kcontrol/model/resource.hpp>
#include <kcontrol/testing/failure.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// A column of `kubectl get` of a kind that is not Kubernetes' own, besides Name.
class printer_column {
public:
    printer_column() = default;
    /// `n`: the name, `t`: the type, `p`: the path, `prio`: the priority.
    printer_column(std::string n, std::string t, std::string p, int prio = 0)
        : name(std::move(n)), type(std::move(t)), path(std::move(p)), priority(prio) {}

    std::string name;             ///< kubectl shows it in capitals
    std::string type = "string";  ///< "string", "integer", "number", "boolean" or "date"
    std::string path;             ///< ".status.phase"; also [0], [-1:] and [?(@.type=="X")]
    std::string format;           ///< OpenAPI; told to clients, cells do not depend on it
    int priority = 0;             ///< above 0: only with -o wide
};

/// What lies below the objects of a kind: "log" of "pods".
class subresource_type {
public:
    std::string name;     ///< last part of the path: "log"
    std::string group;    ///< of its own kind; all empty: the object's
    std::string version;  ///< of its own kind; empty: the object's
    std::string kind;     ///< its own: "Eviction" of pods/eviction
    std::string verbs;    ///< letters, as in resource_type
};

class schema_type;
class structural_schema;
class conversion_webhook;

/// A kind that the server serves. Made by hand, or from a CustomResourceDefinition.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class resource_type {
public:
    resource_type() = default;
    /// A namespaced custom resource with a status subresource; singular is the kind in lower case.
    resource_type(std::string group, std::string version, std::string kind, std::string plural);

    std::string group;                     ///< empty: core
    std::vector<std::string> versions;     ///< served ones, the preferred one first; all show the same stored objects
    std::string kind;                      ///< as objects say it: "Job"
    std::string plural;                    ///< as paths have it: "jobs"
    std::string singular;                  ///< as kubectl takes it: "job"
    std::string list_kind;                 ///< kind of its lists: "JobList"
    std::vector<std::string> short_names;  ///< for kubectl: "po"
    std::vector<std::string> categories;   ///< "all": `kubectl get all` shows it
    bool namespaced = true;                ///< else cluster-scoped
    bool status_subresource = true;        ///< .status is written through /status only
    bool custom = true;                    ///< not one of Kubernetes' own; list items carry kind and apiVersion
    bool needs_version = true;             ///< an update needs a resourceVersion
    bool create_on_update = false;         ///< an update makes what is not there
    bool creates_with_status = false;      ///< a new object keeps the status that it comes with
    bool orphans_dependents = false;       ///< a delete that does not say what becomes of dependents orphans them
    bool generation = true;                ///< metadata.generation is kept
    bool returns_deleted_object = false;   ///< DELETE answers with the object where others answer with a Status
    /// Of a custom kind, by version.
    std::map<std::string, std::shared_ptr<const structural_schema>> structures;
    /// What may be asked of it: c create, d delete, D deletecollection, g get, l list, p patch, u update, w watch.
    std::string verbs = "dDglpcuw";
    std::vector<subresource_type> subresources;  ///< of Kubernetes' own kinds; "status" is among them
    /// Of a kind whose definition says that a webhook converts its objects; null: its versions differ in name only.
    std::shared_ptr<const conversion_webhook> conversion;
    std::string storage_version;                  ///< of a custom kind: in which its objects are kept
    std::string storage_hash;                     ///< as discovery shows it, or empty
    std::size_t place = std::size_t(-1);          ///< in discovery; kinds without one come last, by name
    const schema_type* schema = nullptr;          ///< of Kubernetes' own kinds, in the preferred version
    std::vector<std::string> initial_finalizers;  ///< what the server puts on a new object
    std::vector<printer_column> columns;  ///< Age comes behind them; Kubernetes' own kinds have others (kind_columns)
    /// Of a kind that a definition makes: all columns besides Name, by version.
    std::map<std::string, std::vector<printer_column>> version_columns;
    std::vector<std::string> selectable_fields;  ///< for field selectors, beside metadata.name and .namespace
    /// Lists that server-side apply merges, by the members on the way ("spec.template.containers"), with the members
    /// that tell their items apart; none: a set of scalars. All other lists of a custom kind are replaced as a whole.
    std::map<std::string, std::vector<std::string>> list_keys;
    /// The fields that a custom kind's schema declares, by the members on the way. An apply owns other maps themselves,
    /// of these only what is in them.
    std::set<std::string> declared_fields;
    /// Of these the lists and objects that can't be null, with their type: "array" or "object".
    std::map<std::string, std::string> structured_fields;

    group_resource id() const { return {group, plural}; }  ///< group and plural
    bool serves(std::string_view version) const;           ///< exactly that one: "v1"
    /// "batch/v1"; "v1" in core.
    std::string api_version(std::string_view version) const;
    /// What is known of the kind's fields in that version, or null.
    const schema_type* schema_in(std::string_view version) const;
    /// The schema of a custom kind in that version, or null.
    const structural_schema* structure_in(const std::string& version) const;
    bool allows(char verb) const { return verbs.find(verb) != std::string::npos; }  ///< one of the letters of `verbs`
    /// The subresource, or null.
    const subresource_type* subresource(std::string_view name) const;
};

/// The kinds that every server has: all that Kubernetes 1.37 serves by default.
std::vector<resource_type> builtin_resource_types();

/// The resource type of a kind that the program knows: `resource_type_of(resource_of<widget>())`. A custom one with a
/// status subresource, which keeps any field; its lists are merged as the type's CustomResourceDefinition would say.
resource_type resource_type_of(const resource_info& info);

/// The resource type that a v1 CustomResourceDefinition describes.
outcome<resource_type> resource_type_of_crd(const json::value& crd);

}  // namespace kcontrol::testing

// What the in-process API server knows of Kubernetes' own kinds: names, verbs, subresources, and the fields of each
// type.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// A field of a type: its form, and what Go and the OpenAPI documents say of it.
///
/// `form` is a letter for a scalar: s text, b boolean, i int32, l int64, n number, q quantity, t time, u time with
/// microseconds, y bytes, x int or string, r anything; `#N` the type number N; `[` and `{` before it make a list and a
/// map.
class schema_field {
public:
    std::string_view name;        ///< as in JSON: "nodeName"
    std::string_view form;        ///< a letter or `#N`, behind `[` and `{`; see the class
    bool always = false;          ///< shown in JSON even if it is zero
    bool pointer = false;         ///< absent and zero are two things
    bool required = false;        ///< by the OpenAPI document
    bool atomic = false;          ///< a map that is owned as a whole
    bool set = false;             ///< a list that is a set of scalars, to server-side apply
    bool patch_merge = false;     ///< a strategic merge patch merges the list
    bool retain_keys = false;     ///< a strategic merge patch may say which members stay
    std::string_view patch_key;   ///< of its items; empty: scalars
    std::string_view list_keys;   ///< to server-side apply: "containerPort+protocol"; empty: none
    std::string_view choices;     ///< "TCP+UDP"; empty: any
    std::string_view by_default;  ///< JSON, as the document says; set_api_defaults() has those of Go code

    bool is_list() const noexcept { return form.front() == '['; }  ///< by its form, which is not empty
    bool is_map() const noexcept { return form.front() == '{'; }   ///< by its form, which is not empty; keys are texts
};

/// A type: its name without version's prefix ("core.v1.PodSpec"), and its fields in order of names.
class schema_type {
public:
    std::string_view name;             ///< "core.v1.PodSpec"; all texts here live as long as the program
    bool atomic = false;               ///< owned as a whole
    std::vector<schema_field> fields;  ///< sorted by name, for find()

    /// The field, or null.
    const schema_field* find(std::string_view field) const noexcept;
    /// The name as Go errors give it: "PodSpec".
    std::string_view go_name() const noexcept { return name.substr(name.rfind('.') + 1); }
};

/// What lies below an object of a kind: "pods/log".
class builtin_subresource {
public:
    std::string_view name;     ///< last part of the path: "log"
    std::string_view group;    ///< of its kind; all three as discovery has them
    std::string_view version;  ///< of its kind; empty: that of the object
    std::string_view kind;     ///< its own: "Eviction" of pods/eviction
    std::string_view verbs;    ///< letters, as in builtin_kind
};

/// A kind in one version, as discovery tells it.
class builtin_kind {
public:
    std::string_view group;     ///< empty: core
    std::string_view version;   ///< one of the group's; a kind in two versions is listed twice
    std::string_view plural;    ///< as paths have it: "deployments"
    std::string_view singular;  ///< as kubectl takes it: "deployment"
    std::string_view kind;      ///< as objects say it: "Deployment"
    bool namespaced = true;     ///< else cluster-scoped
    std::string_view verbs;     ///< c create, d delete, D deletecollection, g get, l list, p patch, u update, w watch
    std::vector<std::string_view> short_names;      ///< for kubectl: "deploy"
    std::vector<std::string_view> categories;       ///< "all": `kubectl get all` shows it
    std::vector<builtin_subresource> subresources;  ///< "status" is among them
    std::string_view storage_hash;                  ///< storageVersionHash of discovery; "-": none
    const schema_type* type = nullptr;              ///< its fields; null: none are known
};

/// The table, read once from one text that is part of the library.
///
/// Thread-safety: immutable.
class builtin_schema {
public:
    static const builtin_schema& get();  ///< reads the table at the first call

    /// In the order in which discovery lists them.
    std::span<const builtin_kind> kinds() const noexcept { return kinds_; }
    /// The type number N, of a form "#N" or of "N" alone; null for any other text.
    const schema_type* type_of(std::string_view form) const noexcept;
    /// The kind, or null.
    const builtin_kind* find(std::string_view group, std::string_view version, std::string_view kind) const noexcept;

private:
    builtin_schema();
    void read_line(std::string_view line);

    std::vector<builtin_kind> kinds_;
    std::vector<std::string_view> roots_;  // of each kind
    std::vector<schema_type> types_;
};

/// The form of a list's items or a map's values.
inline std::string_view element_form(std::string_view form) noexcept { return form.substr(1); }

namespace detail {

/// Cuts the part up to `separator` off the front.
std::string_view next_part(std::string_view& text, char separator);

}  // namespace detail

}  // namespace kcontrol::testing

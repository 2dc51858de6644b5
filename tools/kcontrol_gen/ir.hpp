// What the generator knows of a schema, whichever kind of document it came from: types, their fields, and kinds.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kcontrol_gen {

enum class shape {
    text,
    boolean,
    int32,
    int64,
    number,
    bytes,  ///< base64 in JSON
    quantity,
    time,       ///< of a built-in kind: whole seconds, UTC
    date_time,  ///< of a CRD: as it was written
    micro_time,
    int_or_string,
    raw,     ///< any JSON, kept as text
    list,    ///< of `element`
    map,     ///< of `element`, by text
    object,  ///< the type `object` of the schema
};

/// The type of a field or of an element.
struct type_ref {
    shape form = shape::raw;
    std::string object;                 ///< key in schema::types
    std::shared_ptr<type_ref> element;  ///< never null for list and map
    bool nullable = false;              ///< null is a value there
};

inline type_ref scalar(shape form) { return {form, {}, {}, false}; }
inline type_ref container(shape form, type_ref of) {
    return {form, {}, std::make_shared<type_ref>(std::move(of)), false};
}
inline type_ref object(std::string key) { return {shape::object, std::move(key), {}, false}; }

struct field {
    std::string json_name;
    type_ref type;
    bool required = false;
    bool by_value = false;  ///< of an object: it is there whether or not the JSON has it, as in the Go struct
    std::vector<std::string> enum_values;
    std::string default_json;  ///< compact JSON; empty if there is none
    std::string list_type;     ///< atomic, set or map
    std::vector<std::string> map_keys;
};

struct object_type {
    std::string name;           ///< as Kubernetes calls it ("PodSpec"), or a C++ identifier already; see named
    bool named = false;         ///< whether `name` is the C++ identifier
    std::string group;          ///< with `version`: where it is at home, if it has a home
    std::string version;        ///< empty for a type of a CRD until it is placed
    std::vector<field> fields;  ///< in document order
};

struct kind {
    std::string group;
    std::string version;
    std::string name;       ///< "Pod"
    std::string plural;     ///< empty for a kind that exists as a subresource only
    std::string list_kind;  ///< empty if it can't be listed
    bool namespaced = true;
    bool preferred = true;  ///< the storage version of a CRD
    std::vector<std::string> subresources;
    std::vector<std::string> verbs;
    std::string type;  ///< key in schema::types; apiVersion, kind and metadata are not among its fields
};

/// Something that the types can't say in full.
struct remark {
    std::string path;    ///< "PyTorchJob v1: spec.foo"
    std::string reason;  ///< "kept as raw JSON (preserve-unknown-fields)"
};

struct schema {
    std::map<std::string, object_type> types;
    std::vector<kind> kinds;
    std::vector<remark> remarks;
    std::string origin;  ///< "Kubernetes v1.36.3"
};

}  // namespace kcontrol_gen

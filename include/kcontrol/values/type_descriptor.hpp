// type_descriptor: a type as a table, so that reading, writing, comparing and copying are compiled once and not once a
// type.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/json/reader.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

namespace json {
class writer;
}  // namespace json

/// What a type is in JSON, and how its C++ side is laid out.
enum class type_kind : std::uint8_t {
    boolean,
    int32,
    int64,
    number,
    string,         ///< std::string
    text,           ///< text, and types that consist of one text
    quantity,       ///< quantity_text
    timestamp,      ///< kcontrol::timestamp, whole seconds
    microseconds,   ///< kcontrol::timestamp, written with six digits of fraction
    int_or_string,  ///< kcontrol::int_or_string
    raw,            ///< raw_json
    optional,       ///< std::optional, boxed, nullable
    list,           ///< std::vector, kcontrol::list
    map,            ///< std::map, dict
    structure,
    custom,
};

struct type_descriptor;
struct field_rules;

/// One member of a struct: its JSON name and the way to it.
struct field_descriptor {
    std::string_view name;                    ///< in JSON
    const type_descriptor* type;              ///< table of the member; never null
    void* (*access)(void* object) = nullptr;  ///< if null, the member is `offset` bytes behind the object's start
    std::uint32_t offset = 0;                 ///< counts if `access` is null
    bool required = false;                    ///< written even if it is empty
    const field_rules* rules = nullptr;       ///< what its schema says besides the type; null: nothing

    /// Where the member of that object is.
    void* place(void* object) const { return access != nullptr ? access(object) : static_cast<char*>(object) + offset; }
    /// The same of one that is only read.
    const void* place(const void* object) const {
        return place(const_cast<void*>(object));  // access() only finds the place
    }
};

/// std::optional<T>, boxed<T>, nullable<T>.
struct optional_operations {
    const void* (*get)(const void* optional);  ///< null if it is empty
    void* (*emplace)(void* optional);          ///< a fresh value, to be filled; what was there is gone
    void (*set_null)(void* optional);          ///< only of those that can be null
};

/// std::vector<T>, list<T>.
struct list_operations {
    std::size_t (*size)(const void* list);         ///< how many elements
    void* (*at)(void* list, std::size_t index);    ///< where that element is; index < size
    void (*renew)(void* list, std::size_t count);  ///< makes it so many fresh elements
};

/// std::map<std::string, T>, dict<T>.
struct map_operations {
    /// Is called with each entry, and with the `context` given to visit.
    using visitor = void (*)(void* context, std::string_view key, const void* value);
    std::size_t (*size)(const void* map);                          ///< how many entries
    const void* (*find)(const void* map, std::string_view key);    ///< null if it is not there
    void (*visit)(const void* map, void* context, visitor visit);  ///< in the order of keys
    void (*clear)(void* map);                                      ///< makes it empty, but present
    void* (*insert)(void* map, std::string_view key);  ///< where the value of the key is, made if it is not there
};

/// A type with a custom_codec.
struct custom_operations {
    result<void> (*decode)(json::node from, void* object);  ///< custom_codec::decode()
    void (*encode)(const void* object, json::writer& to);   ///< custom_codec::encode()
    bool (*empty)(const void* object);            ///< custom_codec::empty(): whether a member of that value is left out
    bool (*equal)(const void* a, const void* b);  ///< operator== of the type
    std::string_view schema;  ///< JSON of its structural schema; if empty, the schema allows any value
};

/// A type as data. All of it is constant-initialised; the templates that make it are in model/describe.hpp, and the
/// generator writes it out.
///
/// Thread-safety: immutable.
struct type_descriptor {
    type_kind kind{};  ///< says which of the members below count
    /// Whether an optional, list or map is one handle (boxed, list, dict), which can be part of an object's block.
    bool handle = false;
    /// Of optional: whether null differs from absence (nullable). Such a one is a handle.
    bool nullable = false;
    std::uint32_t size = 0;                         ///< of the C++ type, in bytes
    const type_descriptor* element = nullptr;       ///< of optional, list and map
    const optional_operations* optional = nullptr;  ///< of optional; null: see containers.hpp
    const list_operations* list = nullptr;          ///< of list; null: see containers.hpp
    const map_operations* map = nullptr;            ///< of map; null: see containers.hpp
    const custom_operations* custom = nullptr;      ///< of custom
    const field_descriptor* fields = nullptr;       ///< of structure
    std::uint32_t field_count = 0;                  ///< of structure: the length of `fields`
    /// Of structure: whether a fresh one is all zero bytes; null if it is known to be.
    bool (*fresh_is_zero)() = nullptr;
    const field_rules* rules = nullptr;  ///< what its schema says wherever it stands; null: nothing
};

}  // namespace kcontrol

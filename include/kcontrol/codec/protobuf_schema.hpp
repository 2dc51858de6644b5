// protobuf_message: a message of Kubernetes' Protocol Buffers as a table: which number a member has that JSON calls by
// name. The tables of the built-in kinds are generated (api/protobuf.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// What the value of a field is. On the wire the first three are varints, a number is eight bytes, all others have a
/// length before them.
enum class protobuf_type : std::uint8_t { boolean, int32, int64, number, string, bytes, message };

/// How often the value is there.
enum class protobuf_form : std::uint8_t {
    value,    ///< once, and Go has no pointer there: a zero means that JSON leaves it out, unless it is `shown`
    pointer,  ///< once or not at all, and a zero is a value
    list,     ///< once for each element
    map,      ///< once for each entry, a message of key (1, a string) and value (2)
};

/// What a message is in JSON.
enum class protobuf_meaning : std::uint8_t {
    fields,         ///< an object
    time,           ///< metav1.Time
    micro_time,     ///< metav1.MicroTime
    quantity,       ///< resource.Quantity
    int_or_string,  ///< intstr.IntOrString
    json,           ///< JSON as its only field: RawExtension, FieldsV1, JSON of apiextensions
    texts,          ///< a list of strings as its only field
    schema_or_bool,
    schema_or_list,
    schema_or_texts,
};

struct protobuf_message;

/// A field of a message. All of it is constant-initialised.
struct protobuf_field {
    std::string_view name;            ///< in JSON; empty: the fields of the message stand among those around it
    const protobuf_message* message;  ///< of type message, else null; of a map that of its values
    std::uint16_t number = 0;         ///< on the wire, from 1 on
    protobuf_type type{};             ///< of an element of a list, of a value of a map
    protobuf_form form{};             ///< how often it is there, and whether a zero is a value
    bool shown = false;               ///< JSON has it even if it is zero
};

/// A message; fields are in the order of their numbers.
///
/// Thread-safety: immutable.
struct protobuf_message {
    std::string_view name;                                ///< in Kubernetes' .proto files, such as "PodSpec"
    const protobuf_field* fields = nullptr;               ///< an array of them; null if there is none
    std::uint32_t field_count = 0;                        ///< how many `fields` has
    protobuf_meaning meaning = protobuf_meaning::fields;  ///< how its JSON looks

    std::span<const protobuf_field> all() const noexcept { return {fields, field_count}; }  ///< as a range
};

/// Which message a kind is.
struct protobuf_kind {
    std::string_view group;                     ///< empty: the core group
    std::string_view version;                   ///< such as "v1"
    std::string_view kind;                      ///< such as "Pod"
    const protobuf_message* message = nullptr;  ///< the kind's own table, which is not copied
};

}  // namespace kcontrol

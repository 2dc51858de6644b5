// The fields of Kubernetes' Protocol Buffers, as a table of tab-separated values tells them: one line a field, with the
// type it belongs to, its JSON name, its number, its wire type, its Go type and whether JSON shows a zero.
#pragma once

#include <kcontrol/base/result.hpp>

#include "ir.hpp"

#include <map>
#include <string>
#include <vector>

namespace kcontrol_gen {

struct protobuf_line {
    std::string json_name;
    int number = 0;
    std::string wire;
    std::string go_type;  ///< with *, [] or map[string] before it
    bool shown = false;
};

/// By the message's name; lines by number.
using protobuf_lines = std::map<std::string, std::vector<protobuf_line>>;

/// Errors: decode_failed, naming the line.
kcontrol::result<protobuf_lines> read_protobuf_fields(const std::string& text, const std::string& name);

/// What of it the kinds of the schema need, and what every API has (Status, DeleteOptions, ListMeta).
protobuf_lines needed_protobuf_fields(const protobuf_lines& all, const schema& kinds);

/// As read_protobuf_fields() reads it, the same for the same fields.
std::string write_protobuf_fields(const protobuf_lines& all);

/// The files of the tables, by path below the project's root. Errors: decode_failed for a type that is not known.
kcontrol::result<std::map<std::string, std::string>> emit_protobuf(const protobuf_lines& fields, const schema& kinds);

/// The message's name of a key in schema::types.
std::string protobuf_message_of(const std::string& type);

}  // namespace kcontrol_gen

// Names: from Kubernetes' spelling to C++ identifiers, and texts that are safe inside generated code.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace kcontrol_gen {

/// podIP → pod_ip, clusterIPs → cluster_ips, JSONSchemaProps → json_schema_props. Characters that an identifier can't
/// have become "_". No keyword check.
std::string snake_case(std::string_view name);

/// An identifier made of any text: snake_case; a keyword, a reserved name or a usual macro gets a "_" at its end; a
/// text that starts with no letter gets "x_" before it.
std::string identifier(std::string_view name);

/// Whether the text is an identifier that code may use as it is.
bool is_identifier(std::string_view text);

/// `wanted`, or with the first of _2, _3… that `taken` does not have. The result is put into `taken`.
std::string unique(std::string wanted, std::set<std::string>& taken);

/// containers → container, policies → policy, addresses → address; status stays.
std::string singular(std::string_view word);

/// A C++ string literal, quotes included. Every byte that is not plain printable ASCII is written in octal, and no
/// trigraph or comment can come of it.
std::string literal(std::string_view text);

/// The text if it is fit for a comment (letters, digits and plain punctuation), else an empty one.
std::string comment_text(std::string_view text);

/// For messages: bytes that a terminal should not see become "?", and it is cut at 200 bytes.
std::string printable(std::string_view text);

}  // namespace kcontrol_gen

// Files of objects as JSON texts, one a document.
#pragma once

#include <kcontrol/base/result.hpp>

#include <iosfwd>
#include <string>
#include <vector>

namespace transcode {

/// The bytes of a file, or of `in` for "-". Errors: file_failed; too_large above 256 MiB.
kcontrol::result<std::string> read_file(const std::string& path, std::istream& in);

/// The JSON of an object or a list in Protocol Buffers. Errors: decode_failed, naming the place; invalid_argument for a
/// kind that is not compiled in.
kcontrol::result<std::string> json_of_protobuf(const std::string& bytes);

/// The documents of a text, or the one that is in Protocol Buffers: JSON objects one behind the other, or a YAML
/// stream. Empty ones are left out. JSON is passed on as it is, so that a strict reader sees what was written. Errors:
/// decode_failed, naming the place.
kcontrol::result<std::vector<std::string>> split_documents(const std::string& text);

}  // namespace transcode

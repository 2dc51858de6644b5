// The version of a dataset, and the hash of a checkpoint, as their servers tell them.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/http/message.hpp>

#include <string>

namespace training_operator {

using namespace kcontrol;

/// The header delta-table-version, else the member `version` of a JSON object, a text or a whole number. A version is
/// at most 128 of A-Z a-z 0-9 . _ : + -. Errors: invalid_argument, saying what is wrong with the answer.
result<std::string> version_of(const http::response& answer);

/// The SHA-256 of a checkpoint: what the answer begins with, as sha256sum writes it. Empty: the server has none (404).
/// Errors: invalid_argument.
result<std::string> hash_of(const http::response& answer);

}  // namespace training_operator

// A job's object as YAML for people: without what only machines read, and without what looks like a secret. Pure.
#pragma once

#include <kcontrol/documents/value.hpp>

#include <cstddef>
#include <string>

namespace training_monitor {

/// More of it is not shown; kubectl shows it.
inline constexpr std::size_t most_manifest_bytes = std::size_t{512} << 10;

/// Its first lines are comments that say what it is not: managedFields and kubectl's copy of the object in its
/// annotations are left out; "[masked]" stands for the values of environment variables, flags and members that are
/// called as secrets are, and for what looks like one anywhere (secret_mask.hpp). Beyond `most` bytes it ends after a
/// whole line, and a comment at its beginning and one at its end say so.
std::string manifest_text(kcontrol::json::value object, std::size_t most = most_manifest_bytes);

}  // namespace training_monitor

// Writing files so that a reader sees the old one or the new one, never a half.
#pragma once

#include <kcontrol/base/result.hpp>

#include <string>

namespace kcontrol_gen {

/// Makes the directory if it is missing, writes a file beside `path` and renames it. Errors: file_failed.
kcontrol::result<void> write_file(const std::string& path, const std::string& text);

}  // namespace kcontrol_gen

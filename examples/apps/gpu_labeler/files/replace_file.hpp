// A file that is replaced as a whole: who reads it sees the text before or the text after.
#pragma once

#include <kcontrol/base/result.hpp>

#include <string>
#include <string_view>

namespace gpu_labeler {

/// Writes `text` to a file beside `path`, to the disk, and moves it there. Its name begins with a dot.
/// Errors: file_failed, with the path and the reason.
kcontrol::result<void> replace_file(const std::string& path, std::string_view text);

}  // namespace gpu_labeler

// Small files of this user's own, which no other user can read or plant.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/config.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::service::detail {

/// The whole file; nothing if there is none. Errors: file_failed for a link, what is no regular file, a file of another
/// user or that others may write, and what can't be read; too_large beyond `most` bytes.
KCONTROL_DECL result<std::optional<std::string>> read_private_file(const std::string& path, std::size_t most);

/// Replaces the file, or creates it, with mode 0600: a reader finds the old text or the new one, whole. Not written
/// through to the disk, so that nothing waits for it: after a crash of the machine the file may be cut. Errors:
/// file_failed.
KCONTROL_DECL result<void> replace_private_file(const std::string& path, std::string_view text);

}  // namespace kcontrol::service::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/service/impl/private_file_linux.ipp>
#endif

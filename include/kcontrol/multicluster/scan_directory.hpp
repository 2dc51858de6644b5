// One look at a directory of kubeconfigs: which clusters its files are.
#pragma once

#include <kcontrol/auth/kubeconfig.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/multicluster/directory_tracker.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <string>
#include <vector>

namespace kcontrol::inline v0_1 {

/// Reads each kubeconfig of a directory: the file's name without extension is the cluster's, and its current context is
/// the configuration, or the error why there is none. What is no file (a directory, a FIFO, a socket, a device) is told
/// as such an error, and not opened. Hidden files, editors' backups ("x~", "#x#") and lost+found are passed over; of
/// two files with one name the first in order of their full names counts, files first, and `log` gets a warning about
/// the other.
///
/// A cluster's name is text that can be shown anywhere: control characters and bytes of the file's name that are not
/// UTF-8 stand in it as \xNN, and a backslash as \x5c, so that different files have different names.
///
/// Blocks while it reads (environment::read_regular_file). Errors: file_failed (the directory can't be read).
KCONTROL_DECL result<std::vector<directory_tracker::finding>> scan_directory(environment& env, const std::string& path,
                                                                             auth::trust level, const logger& log = {});

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/scan_directory.ipp>
#endif

// What a server says on the error channel of a command: a metav1.Status.
#pragma once

#include <kcontrol/base/result.hpp>

#include <string_view>

namespace kcontrol::inline v0_1::detail {

/// The exit code. Errors: the Status of a command that did not come to its end; decode_failed.
KCONTROL_DECL result<int> read_exec_status(std::string_view text);

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/pod_exec.ipp>
#endif

// Looks at the pod's token from time to time for the sign that its Node is another one.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>

namespace gpu_labeler {

/// How often the file is read: microseconds of work, and no request to anybody.
inline constexpr auto token_period = std::chrono::seconds(10);

/// Calls `renewed` when the token in `file` says that the Node may have been registered anew
/// (node/registration_sign.hpp says how), until `stop`. A file that can't be read says nothing. Without a file name it
/// ends at once.
///
/// Object lifetime: the environment outlives it.
kcontrol::awaitable<void> follow_registration(kcontrol::environment& env, std::string file,
                                              std::function<void()> renewed, kcontrol::logger log,
                                              std::stop_token stop);

}  // namespace gpu_labeler

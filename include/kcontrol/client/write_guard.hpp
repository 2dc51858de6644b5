// What is asked before a write goes out: whether this process may write at all, and until when.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/time.hpp>

#include <functional>

namespace kcontrol::inline v0_1 {

/// How long from now a write may take, or why there may be none. Called on the client's executor; it may outlive who
/// made it, and must not throw.
using write_guard = std::function<result<duration>()>;

}  // namespace kcontrol

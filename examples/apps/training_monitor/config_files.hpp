// The files that the command line names: more kinds, and who is notified.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "jobs/ruled_kinds.hpp"
#include "notices/config.hpp"
#include "options.hpp"

#include <memory>
#include <optional>

namespace training_monitor {

/// --kind-rules; null without. Its kinds are added to those that `o` watches. It outlives all that names kinds.
/// Errors: name the flag, the file and what is wrong.
kcontrol::result<std::unique_ptr<extra_kinds>> load_kinds(kcontrol::environment& env, options& o);

/// --notify-config. Errors: name the flag, the file and what is wrong; also a rule that needs --gpu-usage.
kcontrol::result<std::optional<notices::notice_config>> load_notices(kcontrol::environment& env, const options& o);

}  // namespace training_monitor

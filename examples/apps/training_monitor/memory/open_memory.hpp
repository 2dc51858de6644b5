// --state: the state file, and the history that it holds.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "memory/memory.hpp"
#include "memory/state_options.hpp"

#include <memory>

namespace training_monitor {

/// Opens the file and brings the history back; null where no file is named. Errors: those of state_file::open() and
/// memory::start().
kcontrol::result<std::unique_ptr<memory>> open_memory(kcontrol::environment& env, kcontrol::executor ex,
                                                      kcontrol::executor worker, const state_options& how,
                                                      history& past, gpu_hours& hours, const kcontrol::logger& log);

}  // namespace training_monitor

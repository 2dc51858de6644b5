#pragma once

#include <kcontrol/runtime/run_program.hpp>
#include <kcontrol/runtime/system_environment.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL awaitable<result<process_result>> system_environment::run_process(process_command command) {
    return run_program(*this, std::move(command), program_options());
}

}  // namespace kcontrol

#pragma once

#include <kcontrol/runtime/run_program.hpp>
#include <kcontrol/runtime/system_environment.hpp>

#include <unistd.h>
#include <utility>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL awaitable<result<process_result>> system_environment::run_process(process_command command) {
    // What it asks must be seen while it waits for the reply.
    const auto how = program_options().shown_errors(command.terminal() ? STDERR_FILENO : -1);
    return run_program(*this, std::move(command), how);
}

KCONTROL_DECL std::string system_environment::terminal_problem() const {
    if (::isatty(STDIN_FILENO) == 0) return "standard input is not a terminal";
    // Whoever reads from a terminal in the background is suspended.
    if (::tcgetpgrp(STDIN_FILENO) != ::getpgrp()) return "this program runs in the background of its terminal";
    return {};
}

}  // namespace kcontrol

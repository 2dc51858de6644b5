// Running a program of this machine to its end, as system_environment::run_process() does, with its complaints shown.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/runtime/process.hpp>

namespace kcontrol::inline v0_1 {

/// How a program is run for a user who sits at a terminal.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class program_options {
public:
    program_options() = default;

    /// What it writes to standard error is also written to this descriptor as it comes: what an exec plugin wants from
    /// its user must be seen while it waits. Default: -1, which is nowhere.
    program_options& shown_errors(int descriptor) { return shown_errors_ = descriptor, *this; }
    /// It runs in the working directory of this process. Default: in `/`.
    program_options& in_place(bool on) { return in_place_ = on, *this; }

    int shown_errors() const noexcept { return shown_errors_; }
    bool in_place() const noexcept { return in_place_; }

private:
    int shown_errors_ = -1;
    bool in_place_ = false;
};

/// Runs it on the executor of the coroutine that awaits this, by the clock of `env`; only its start blocks that.
/// Errors: those of environment::run_process(). Thread-safety: that of `env`. Object lifetime: `env` and the descriptor
/// of the options outlive the run.
KCONTROL_DECL awaitable<result<process_result>> run_program(environment& env, process_command command,
                                                            program_options how);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/runtime/impl/run_program_linux.ipp>
#endif

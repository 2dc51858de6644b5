// The whole program but for its command line: cluster, outputs, loop.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "options.hpp"
#include "outputs/line_output.hpp"
#include "service/run_loop.hpp"

#include <stop_token>

namespace follow {

/// The outputs that the options ask for; standard output, which `write` writes to, is always one. Errors: those of the
/// template's file, with its name and the line.
kcontrol::result<std::vector<std::unique_ptr<output>>> make_outputs(kcontrol::environment& env, kcontrol::executor ex,
                                                                    const options& o, write_function write,
                                                                    const kcontrol::logger& log);

/// Finds the cluster and follows until the end; see run_loop(). What is wrong before that is logged (failed).
kcontrol::awaitable<exit_status> run_program(kcontrol::environment& env, kcontrol::executor ex, options o,
                                             write_function write, kcontrol::logger log, std::stop_token stop);

}  // namespace follow

// Programs that only pretend to run: what an environment of the tests has instead of processes.
#pragma once

#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::testing {

/// A program that takes some time and then ends so: its outputs, its status.
class fake_run {
public:
    fake_run() = default;
    /// It writes this to standard output and ends at once, with status 0.
    explicit fake_run(std::string output) { result_.output = std::move(output); }

    /// What it returns. Default 0.
    fake_run& status(int code) { return result_.exit_status = code, *this; }
    /// The signal that ends it. Default 0: none does.
    fake_run& signal(int number) { return result_.signal = number, *this; }
    /// What it writes to standard error. Default: nothing.
    fake_run& errors(std::string text) { return result_.errors = std::move(text), *this; }
    /// How long it runs, by the environment's clock.
    fake_run& takes(duration d) { return takes_ = d, *this; }

    /// How it ends, before outputs are cut to process_command::max_output().
    const process_result& result() const noexcept { return result_; }
    duration takes() const noexcept { return takes_; }

private:
    process_result result_;
    duration takes_{};
};

/// Says how a run of the program goes; called when it starts.
using fake_program = std::function<fake_run(const process_command&)>;

/// Runs one of them as environment::run_process() would: deadline, stop token and the limit of output count.
inline awaitable<result<process_result>> run_fake_program(environment& env,
                                                          const std::map<std::string, fake_program>& programs,
                                                          process_command command) {
    const std::string path = command.arguments().empty() ? std::string() : command.arguments().front();
    const std::string what = "the program " + path;
    if (!path.starts_with('/')) co_return error(errc::invalid_argument, "a program must be named by its absolute path");
    const auto found = programs.find(path);
    if (found == programs.end()) {
        co_return error(errc::file_failed, what + " can't be started: No such file or directory");
    }
    const fake_run run = found->second(command);
    if (run.takes() > duration::zero()) {
        const wake why = co_await sleep_for(env, std::min(run.takes(), command.deadline()), command.stop());
        if (why == wake::stopped) co_return error(errc::stopped, what + " was stopped");
        if (run.takes() > command.deadline()) co_return error(errc::timeout, what + " did not end in time");
    }
    process_result out = run.result();
    out.output.resize(std::min(out.output.size(), command.max_output()));
    out.errors.resize(std::min(out.errors.size(), command.max_output()));
    co_return out;
}

}  // namespace kcontrol::testing

// Running another program to its end: what to run, and what came of it. environment::run_process() does it.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstddef>
#include <map>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// A program to run, with what bounds it. There is no shell: arguments are passed as they are.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class process_command {
public:
    process_command() = default;
    /// The program's absolute path, then its arguments.
    explicit process_command(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {}

    /// Its whole environment: nothing is inherited.
    process_command& variable(const std::string& name, std::string value) {
        return variables_[name] = std::move(value), *this;
    }
    /// What it reads on standard input.
    process_command& input(std::string text) { return input_ = std::move(text), *this; }
    /// Its standard input is that of this process, a terminal, and it stays in the process group of this process: it
    /// may ask the user, and the keys that interrupt and suspend reach both. input() is not used then. Default false.
    /// See environment::terminal_problem().
    process_command& terminal(bool on) { return terminal_ = on, *this; }
    /// How much is kept of each of its outputs; the rest is read and dropped.
    process_command& max_output(std::size_t bytes) { return max_output_ = bytes, *this; }
    /// After that time it is killed, and everything of its process group with it.
    process_command& deadline(duration d) { return deadline_ = d, *this; }
    /// Kills it likewise.
    process_command& stop(std::stop_token token) { return stop_ = std::move(token), *this; }

    /// The program's absolute path, then its arguments; empty: nothing to run.
    const std::vector<std::string>& arguments() const noexcept { return arguments_; }
    /// By name; default none.
    const std::map<std::string, std::string>& variables() const noexcept { return variables_; }
    const std::string& input() const noexcept { return input_; }
    /// Whether it reads from the terminal of this process.
    bool terminal() const noexcept { return terminal_; }
    std::size_t max_output() const noexcept { return max_output_; }
    kcontrol::duration deadline() const noexcept { return deadline_; }
    const std::stop_token& stop() const noexcept { return stop_; }

private:
    std::vector<std::string> arguments_;
    std::map<std::string, std::string> variables_;
    std::string input_;
    std::size_t max_output_ = std::size_t{64} << 10;
    kcontrol::duration deadline_ = std::chrono::seconds(30);
    std::stop_token stop_;
    bool terminal_ = false;
};

/// How a program ended.
class process_result {
public:
    process_result() = default;

    int exit_status = 0;  ///< what it returned, if no signal ended it
    int signal = 0;       ///< the number of the signal that ended it, or 0
    std::string output;   ///< the beginning of its standard output
    std::string errors;   ///< the beginning of its standard error
};

}  // namespace kcontrol

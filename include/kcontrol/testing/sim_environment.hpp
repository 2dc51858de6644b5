// The environment of a simulation: virtual clocks, seeded randomness, files and variables in memory.
#pragma once

#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/testing/fake_program.hpp>
#include <kcontrol/testing/sim_context.hpp>

#include <map>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// Implements environment on a sim_context.
///
/// Thread-safety: shared objects unsafe; one thread. Object lifetime: the context outlives it.
class sim_environment final : public environment {
public:
    explicit sim_environment(sim_context& context) : context_(&context) {}  ///< without files, variables and programs

    time_point now() const noexcept override { return context_->now(); }
    time_point boot_now() const noexcept override { return context_->now() + suspended_; }
    wall_time wall_now() const noexcept override;
    std::uint64_t random() override { return context_->random(); }
    std::unique_ptr<timer> make_timer(const executor& ex) override;
    result<std::string> read_file(const std::string& path, std::size_t max_bytes) override;
    result<std::vector<std::string>> list_directory(const std::string& path) override;
    result<std::unique_ptr<directory_watch>> watch_directory(const executor& ex, const std::string& path) override;
    std::optional<std::string> variable(const std::string& name) const override;
    std::map<std::string, std::string> all_variables() const override { return variables_; }
    awaitable<result<process_result>> run_process(process_command command) override;

    /// Sets the wall clock forward, or back with a negative length, as an operator or NTP does. now() and timers go on
    /// as if nothing had happened.
    void set_wall_clock(duration by) noexcept { wall_set_ += by; }

    /// The machine was suspended for so long: only boot_now() and the wall clock have moved on.
    void suspend(duration by) noexcept { suspended_ += by, wall_set_ += by; }

    /// Creates or replaces a file and notifies the watches of its directory.
    void write_file(const std::string& path, std::string text);
    /// Removes a file, if it is there, and notifies the watches of its directory.
    void remove_file(const std::string& path);
    /// What runs instead of the program at that path; without one, there is no such program.
    void set_program(const std::string& path, fake_program p) { programs_[path] = std::move(p); }
    /// Sets an environment variable, or changes it.
    void set_variable(const std::string& name, std::string value) { variables_[name] = std::move(value); }

private:
    class sim_timer;
    class sim_watch;
    void notify(const std::string& path);

    sim_context* context_;
    duration wall_set_{}, suspended_{};
    std::map<std::string, std::string> files_;
    std::map<std::string, std::string> variables_;
    std::map<std::string, fake_program> programs_;
    std::vector<sim_watch*> watches_;
};

}  // namespace kcontrol::testing

// The world as kc sees it from a terminal: the system's, but for exec plugins, whose user is there.
#pragma once

#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/runtime/timer.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kc {

using namespace kcontrol;

/// What a plugin writes to standard error is seen as it comes, as a code to enter somewhere must be. A plugin runs in
/// kc's working directory, and may take as long as the request that waits for it. It may read from the terminal, unless
/// kc does. It does not outlive kc, nor does what it has started.
class terminal_environment final : public environment {
public:
    time_point now() const noexcept override { return system_.now(); }
    time_point boot_now() const noexcept override { return system_.boot_now(); }
    wall_time wall_now() const noexcept override { return system_.wall_now(); }
    std::uint64_t random() override { return system_.random(); }
    std::unique_ptr<timer> make_timer(const executor& ex) override { return system_.make_timer(ex); }
    result<std::string> read_file(const std::string& path, std::size_t most) override {
        return system_.read_file(path, most);
    }
    result<std::string> read_regular_file(const std::string& path, std::size_t most) override {
        return system_.read_regular_file(path, most);
    }
    result<std::vector<std::string>> list_directory(const std::string& path) override {
        return system_.list_directory(path);
    }
    result<std::vector<directory_entry>> list_entries(const std::string& path) override {
        return system_.list_entries(path);
    }
    result<std::unique_ptr<directory_watch>> watch_directory(const executor& ex, const std::string& path) override {
        return system_.watch_directory(ex, path);
    }
    std::optional<std::string> variable(const std::string& name) const override { return system_.variable(name); }
    std::map<std::string, std::string> all_variables() const override { return system_.all_variables(); }
    awaitable<result<process_result>> run_process(process_command command) override;
    std::string terminal_problem() const override { return reader_.empty() ? system_.terminal_problem() : reader_; }

    /// From now on plugins get no terminal, because of that: "standard input has the manifests (-f -)".
    void keep_input(std::string why) { reader_ = std::move(why); }

private:
    system_environment system_;
    std::string reader_;
};

}  // namespace kc

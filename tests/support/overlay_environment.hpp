// The real environment, but for some files and variables.
#pragma once

#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/runtime/timer.hpp>

#include <map>
#include <string>

namespace kcontrol::test {

class overlay_environment : public environment {
public:
    time_point now() const noexcept override { return system_.now(); }
    time_point boot_now() const noexcept override { return system_.boot_now(); }
    wall_time wall_now() const noexcept override { return system_.wall_now(); }
    std::uint64_t random() override { return system_.random(); }
    std::unique_ptr<timer> make_timer(const executor& ex) override { return system_.make_timer(ex); }
    result<std::string> read_file(const std::string& path, std::size_t max_bytes) override {
        const auto found = files.find(path);
        return found != files.end() ? result<std::string>(found->second) : system_.read_file(path, max_bytes);
    }
    result<std::vector<std::string>> list_directory(const std::string& path) override {
        return system_.list_directory(path);
    }
    result<std::unique_ptr<directory_watch>> watch_directory(const executor& ex, const std::string& path) override {
        return system_.watch_directory(ex, path);
    }
    std::optional<std::string> variable(const std::string& name) const override {
        const auto found = variables.find(name);
        return found != variables.end() ? found->second : system_.variable(name);
    }
    awaitable<result<process_result>> run_process(process_command command) override {
        return system_.run_process(std::move(command));
    }

    std::map<std::string, std::string> files;
    std::map<std::string, std::string> variables;

private:
    system_environment system_;
};

}  // namespace kcontrol::test

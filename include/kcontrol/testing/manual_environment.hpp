// An environment for tests: time stands still until it is advanced, files are in memory, randomness is counted.
#pragma once

#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/testing/fake_program.hpp>

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// Give it to whatever wants an environment. `run_ready` runs what can run now, `advance` moves time on; run() of
/// run.hpp does both until a coroutine has ended. Equal tests get equal random numbers.
///
/// Thread-safety: one io_context on one thread; other threads may ask for now() and wall_now().
/// Object lifetime: outlives every timer and watch made with it.
class manual_environment final : public environment {
public:
    manual_environment();
    ~manual_environment() override;
    manual_environment(const manual_environment&) = delete;
    manual_environment& operator=(const manual_environment&) = delete;

    time_point now() const noexcept override { return now_; }
    time_point boot_now() const noexcept override { return now() + suspended; }
    wall_time wall_now() const noexcept override { return wall_time(now().time_since_epoch()) + wall_offset; }
    std::uint64_t random() override;
    std::unique_ptr<timer> make_timer(const executor& ex) override;
    result<std::string> read_file(const std::string& path, std::size_t max_bytes) override;
    result<std::vector<std::string>> list_directory(const std::string& path) override;
    result<std::unique_ptr<directory_watch>> watch_directory(const executor& ex, const std::string& path) override;
    std::optional<std::string> variable(const std::string& name) const override;
    std::map<std::string, std::string> all_variables() const override { return variables; }
    /// Calls what `programs` has for the path; file_failed where it has nothing.
    awaitable<result<process_result>> run_process(process_command command) override;
    /// Empty where `has_terminal` is set.
    std::string terminal_problem() const override;

    /// Runs every handler that is ready, without moving time.
    static void run_ready(boost::asio::io_context& context);

    /// Moves time on by `d`, timer by timer, running what becomes ready at each of them.
    void advance(duration d, boost::asio::io_context& context);

    /// When the next timer is due, if there is one.
    std::optional<time_point> next_timer() const;
    std::size_t pending_timers() const noexcept { return pending_.size(); }  ///< timers that somebody waits for

    /// Makes the watches of a directory report a change, which changes of `files` alone do not.
    void touch(const std::string& directory);

    std::map<std::string, std::string> files;                    ///< path → text; change it at will
    std::map<std::string, std::string> variables;                ///< the environment variables that are set
    std::map<std::string, fake_program> programs;                ///< path → what runs instead
    bool has_terminal = false;                                   ///< whether standard input is a terminal
    duration suspended{};                                        ///< how long the machine slept: boot_now() counts it
    duration wall_offset = std::chrono::seconds(1'700'000'000);  ///< what wall_now() adds to now()

private:
    class manual_timer;
    class manual_watch;

    std::atomic<time_point> now_{time_point(std::chrono::hours(1))};
    std::uint64_t random_state_ = 1;
    std::multimap<time_point, manual_timer*> pending_;
    std::list<manual_watch*> watches_;
};

}  // namespace kcontrol::testing

// The real environment: the machine's clocks, timers, randomness, files, variables and programs.
#pragma once

#include <kcontrol/runtime/environment.hpp>

#include <array>
#include <cstdint>
#include <mutex>

namespace kcontrol::inline v0_1 {

/// The environment a program constructs once and passes down. It holds no state but that of its generator.
///
/// It starts no thread. read_file() and list_directory() block: they are for small files on local file systems. A watch
/// is Linux' inotify; several changes that come together make one call.
///
/// run_process() blocks until the system has begun to execute the program, about a millisecond, so programs belong on
/// local file systems, too. The program gets a process group and none of our descriptors; its end comes through its
/// pidfd, without a signal handler. That takes Linux 5.4: an older kernel, or a seccomp filter without pidfd_open,
/// costs `unavailable`, and nothing is started. A program that still runs when its context goes is killed and reaped,
/// which takes a second at most. Where the embedding program reaps children itself or ignores SIGCHLD, exit_status is
/// -1. What a program with a terminal writes to standard error is also written to that of this process.
///
/// Thread-safety: shared objects safe. Timers and watches: shared objects unsafe.
/// Object lifetime: outlives everything made with it.
class system_environment final : public environment {
public:
    /// Seeds the generator from the operating system.
    KCONTROL_DECL system_environment();

    KCONTROL_DECL time_point now() const noexcept override;
    KCONTROL_DECL time_point boot_now() const noexcept override;
    KCONTROL_DECL wall_time wall_now() const noexcept override;
    KCONTROL_DECL std::uint64_t random() override;
    KCONTROL_DECL std::unique_ptr<timer> make_timer(const executor& ex) override;
    KCONTROL_DECL result<std::string> read_file(const std::string& path, std::size_t max_bytes) override;
    KCONTROL_DECL result<std::string> read_regular_file(const std::string& path, std::size_t max_bytes) override;
    KCONTROL_DECL result<std::vector<std::string>> list_directory(const std::string& path) override;
    KCONTROL_DECL result<std::vector<directory_entry>> list_entries(const std::string& path) override;
    KCONTROL_DECL result<std::unique_ptr<directory_watch>> watch_directory(const executor& ex,
                                                                           const std::string& path) override;
    KCONTROL_DECL std::optional<std::string> variable(const std::string& name) const override;
    KCONTROL_DECL std::map<std::string, std::string> all_variables() const override;
    KCONTROL_DECL awaitable<result<process_result>> run_process(process_command command) override;
    KCONTROL_DECL std::string terminal_problem() const override;

private:
    std::mutex mutex_;
    std::array<std::uint64_t, 4> state_{};
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/runtime/impl/system_environment.ipp>
#include <kcontrol/runtime/impl/system_environment_directory_watch_linux.ipp>
#include <kcontrol/runtime/impl/system_environment_process_linux.ipp>
#endif

// The only access to the outside world: clocks, timers, randomness, files, environment variables and programs.
//
// Everything else in the library asks an environment, so that a simulated one can replace the world: virtual
// time, seeded randomness, a file system in memory. (Sockets have a seam of their own, http::transport.)
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/runtime/process.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

class timer;

/// Notifies of possible changes in a directory. Some may be missed, so list it from time to time as well.
class directory_watch {
public:
    virtual ~directory_watch() = default;
    /// `on_change` is called on the executor given to watch_directory after each burst of changes. Another start()
    /// replaces it. After a stop() it may also be called for what changed meanwhile.
    virtual void start(std::function<void()> on_change) = 0;
    /// No call of `on_change` begins after this returns. Idempotent; also inside `on_change`.
    virtual void stop() = 0;
};

/// What a name in a directory stands for, links followed.
enum class file_kind { regular, directory, fifo, socket, device };

/// A name in a directory, and what it stands for.
class directory_entry {
public:
    /// A name and its kind.
    directory_entry(std::string n, file_kind k) : name(std::move(n)), kind(k) {}

    std::string name;  ///< without the path of the directory
    file_kind kind;    ///< of a link: of what it leads to

    friend bool operator==(const directory_entry&, const directory_entry&) = default;
};

/// Clocks, timers, randomness, files, environment variables and programs. An environment outlives everything made with
/// it.
///
/// Thread-safety: the real one: shared objects safe. The simulator's: one thread.
class environment {
public:
    virtual ~environment() = default;

    /// Monotonic time. It never goes back and does not follow changes of the wall clock.
    virtual time_point now() const noexcept = 0;

    /// Monotonic time that goes on while the machine is suspended, where now() and timers stand still: for how long
    /// something is valid that others count, too, such as a lease. Its points are compared among themselves only. An
    /// environment whose machine is never suspended need not override it.
    virtual time_point boot_now() const noexcept { return now(); }

    /// Civil time (UTC).
    virtual wall_time wall_now() const noexcept = 0;

    /// 64 random bits, for jitter and names; not for cryptography.
    virtual std::uint64_t random() = 0;

    /// A timer whose handlers run on `ex`; see timer.hpp.
    virtual std::unique_ptr<timer> make_timer(const executor& ex) = 0;

    /// The whole file, or file_failed (with the path and the reason), or too_large beyond `max_bytes`.
    virtual result<std::string> read_file(const std::string& path, std::size_t max_bytes) = 0;

    /// The same, or file_failed for what is no regular file (links followed): such a thing is not read, and opening it
    /// does not block. An environment that has regular files only need not override it.
    virtual result<std::string> read_regular_file(const std::string& path, std::size_t max_bytes) {
        return read_file(path, max_bytes);
    }

    /// The names of the regular files (links followed) in a directory, sorted.
    virtual result<std::vector<std::string>> list_directory(const std::string& path) = 0;

    /// All that is in a directory, sorted by name; links that lead nowhere are left out. An environment that has
    /// regular files only need not override it.
    virtual result<std::vector<directory_entry>> list_entries(const std::string& path) {
        auto names = list_directory(path);
        if (!names) return names.error();
        std::vector<directory_entry> out;
        for (auto& name : *names) out.emplace_back(std::move(name), file_kind::regular);
        return out;
    }

    /// A watch of one directory whose callback runs on `ex`.
    virtual result<std::unique_ptr<directory_watch>> watch_directory(const executor& ex, const std::string& path) = 0;

    /// An environment variable, or nothing if it is not set.
    virtual std::optional<std::string> variable(const std::string& name) const = 0;

    /// All environment variables: what a program that is started for the user inherits. None unless an environment says
    /// otherwise.
    virtual std::map<std::string, std::string> all_variables() const { return {}; }

    /// Runs a program to its end on the executor of the coroutine that awaits it; only its start blocks that. Any exit
    /// is a success here. Errors: invalid_argument (its path is not absolute), file_failed (it can't be started),
    /// timeout and stopped (it was killed), unavailable (this environment or this machine starts no programs, which is
    /// so unless an environment says otherwise).
    virtual awaitable<result<process_result>> run_process(process_command) {
        co_return error(errc::unavailable, "programs can't be started here");
    }

    /// Why run_process() can't give a program the terminal of this one (process_command::terminal()), such as "standard
    /// input is not a terminal". Empty: it can. It can't unless an environment says otherwise.
    virtual std::string terminal_problem() const { return "standard input is not a terminal"; }
};

/// A uniformly distributed value in [0, 1).
inline double random_unit(environment& env) { return static_cast<double>(env.random() >> 11) * 0x1.0p-53; }

}  // namespace kcontrol

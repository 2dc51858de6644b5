// Reads the inventory on threads of its own, which may never come back.
#pragma once

#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "inventory/read.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <stop_token>

namespace gpu_labeler {

struct reader_limits {
    kcontrol::duration call = std::chrono::seconds(5);  ///< for one call of NVML
    int threads = 3;                                    ///< so many may hang at the same time
};

/// Asks NVML without ever waiting longer than a deadline for one call of it: a call may hang in the driver, and
/// nothing can take a thread out of there. Such a thread is given up, and the next question gets a fresh one, up to a
/// few.
///
/// Thread-safety: used on one strand, that of the executor given. Cancellation: a read that is stopped gives its thread
/// up as well. Object lifetime: environment and executor outlive the reader; threads that were given up may outlive it,
/// and the executor, but not the environment: see hanging().
class gpu_reader {
public:
    using session_factory = std::function<std::shared_ptr<nvml_session>()>;

    gpu_reader(kcontrol::environment& env, kcontrol::executor ex, session_factory make_session,
               reader_limits most = {});
    ~gpu_reader();
    gpu_reader(const gpu_reader&) = delete;
    gpu_reader& operator=(const gpu_reader&) = delete;

    /// Errors: those of nvml_session::read; timeout, naming the call that hangs; unavailable, when too many threads
    /// hang; stopped.
    kcontrol::awaitable<kcontrol::result<inventory>> read(std::stop_token stop);

    /// How many threads hang now. A process that has some must leave with _Exit: they hold on to the library.
    int hanging() const noexcept { return *hanging_; }

private:
    struct question;
    // What a thread may still reach after this object is gone.
    struct door {
        std::mutex mutex;
        bool open = true;
    };

    void start(const std::shared_ptr<question>& q);
    void give_up(question& q);

    kcontrol::environment& env_;
    kcontrol::executor executor_;
    session_factory make_session_;
    reader_limits most_;
    std::shared_ptr<nvml_session> session_;
    std::shared_ptr<door> door_ = std::make_shared<door>();
    std::shared_ptr<std::atomic<int>> hanging_ = std::make_shared<std::atomic<int>>(0);
};

}  // namespace gpu_labeler

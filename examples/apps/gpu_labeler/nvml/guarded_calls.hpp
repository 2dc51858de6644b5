// Questions to NVML on threads of their own, which may never come back.
#pragma once

#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "defaults.hpp"
#include "nvml/session.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

namespace gpu_labeler {

class reader_limits {
public:
    reader_limits() = default;

    /// For one call of NVML.
    reader_limits& call(kcontrol::duration d) { return call_ = d, *this; }
    /// So many may hang at the same time in calls that are about no GPU.
    reader_limits& threads(int n) { return threads_ = n, *this; }

    kcontrol::duration call() const noexcept { return call_; }
    int threads() const noexcept { return threads_; }

private:
    kcontrol::duration call_ = defaults::nvml_timeout;
    int threads_ = 3;
};

/// Asks NVML without ever waiting longer than a deadline for one call of it: a call may hang in the driver, and
/// nothing can take a thread out of there. Such a thread is given up, and the next question gets a fresh one, up to a
/// few. If it was about one GPU, the next questions leave that one out until the thread is back; so there is one such
/// thread at most for each GPU, and the others can be asked however many hang.
///
/// Thread-safety: used on one strand, that of the executor given; questions that come while one is asked wait for it.
/// Cancellation: a question that is stopped gives its thread up as well. Object lifetime: environment and executor
/// outlive this object, and it the coroutines that ask; threads that were given up may outlive it, and the executor,
/// but not the environment: see hanging().
class guarded_calls {
public:
    using session_factory = std::function<std::shared_ptr<nvml_session>()>;

    guarded_calls(kcontrol::environment& env, kcontrol::executor ex, session_factory make_session,
                  reader_limits most = {});
    ~guarded_calls();
    guarded_calls(const guarded_calls&) = delete;
    guarded_calls& operator=(const guarded_calls&) = delete;

    /// Runs `question` on a thread of its own. It must touch nothing but the session and what it owns, and not throw.
    /// Errors: timeout, naming the call that hangs, also when too many threads hang; unavailable, when the system has
    /// no thread for it; stopped.
    kcontrol::awaitable<kcontrol::result<void>> run(std::function<void(nvml_session&)> question, std::stop_token stop);

    /// The same for a question that has an answer.
    template <class T>
    kcontrol::awaitable<kcontrol::result<T>> ask(std::function<T(nvml_session&)> question, std::stop_token stop) {
        const auto answer = std::make_shared<std::optional<T>>();
        std::function<void(nvml_session&)> work = [answer, question = std::move(question)](nvml_session& session) {
            answer->emplace(question(session));
        };
        const auto done = co_await run(std::move(work), stop);
        if (!done) co_return done.error();
        co_return std::move(**answer);
    }

    /// How many threads hang now. A process that has some must leave with _Exit: they hold on to the library.
    int hanging() const noexcept;

    /// How many GPUs the next question leaves out, as threads hang in calls about them.
    std::size_t hanging_gpus() const { return gpus_left_out().size(); }

private:
    struct asked;
    // What a thread may still reach after this object is gone.
    struct door {
        std::mutex mutex;
        bool open = true;
    };

    kcontrol::awaitable<kcontrol::result<void>> wait(std::shared_ptr<asked> q, std::stop_token stop);
    std::map<unsigned, std::string> gpus_left_out() const;
    int hanging_in_general() const noexcept;
    kcontrol::result<void> start(const std::shared_ptr<asked>& q);
    void give_up(const std::shared_ptr<asked>& q);

    kcontrol::environment& env_;
    kcontrol::executor executor_;
    session_factory make_session_;
    reader_limits most_;
    std::shared_ptr<nvml_session> session_;
    std::vector<std::shared_ptr<asked>> given_up_;
    bool busy_ = false;
    kcontrol::async_event idle_;
    std::shared_ptr<door> door_ = std::make_shared<door>();
};

}  // namespace gpu_labeler

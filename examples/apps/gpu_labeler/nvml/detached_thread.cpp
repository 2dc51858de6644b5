#include "nvml/detached_thread.hpp"

#include <csignal>
#include <thread>
#include <utility>

namespace gpu_labeler {
namespace {

// A thread begins with the mask of the one that starts it.
class all_signals_blocked {
public:
    all_signals_blocked() {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_BLOCK, &all, &before_);
    }
    ~all_signals_blocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    all_signals_blocked(const all_signals_blocked&) = delete;
    all_signals_blocked& operator=(const all_signals_blocked&) = delete;

private:
    sigset_t before_{};
};

}  // namespace

void run_detached(std::function<void()> work) {
    const all_signals_blocked quiet;
    std::thread(std::move(work)).detach();  // seam: ok, a call of NVML may hang for ever
}

}  // namespace gpu_labeler

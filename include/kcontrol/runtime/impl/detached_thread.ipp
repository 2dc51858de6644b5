#pragma once

#include <kcontrol/runtime/detached_thread.hpp>

#include <csignal>
#include <thread>
#include <utility>

namespace kcontrol {
namespace detail {

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

}  // namespace detail

KCONTROL_DECL void run_detached(std::function<void()> work) {
    const detail::all_signals_blocked quiet;
    std::thread(std::move(work)).detach();
}

}  // namespace kcontrol

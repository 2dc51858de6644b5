#include "nvml/detached_thread.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <future>
#include <memory>
#include <thread>

TEST_CASE("detached thread: runs elsewhere, with all signals blocked, and leaves the caller's mask alone") {
    sigset_t before, after;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
    struct seen {
        std::thread::id thread;
        bool quiet;
    };
    auto told = std::make_shared<std::promise<seen>>();
    auto answer = told->get_future();
    gpu_labeler::run_detached([told] {
        sigset_t mask;
        ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
        told->set_value(
            {std::this_thread::get_id(), ::sigismember(&mask, SIGTERM) == 1 && ::sigismember(&mask, SIGINT) == 1});
    });
    const auto found = answer.get();
    ::pthread_sigmask(SIG_SETMASK, nullptr, &after);
    CHECK(found.thread != std::this_thread::get_id());
    CHECK(found.quiet);
    CHECK(::sigismember(&after, SIGTERM) == ::sigismember(&before, SIGTERM));
}

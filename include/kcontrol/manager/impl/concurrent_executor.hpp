// Whether several threads run an executor at once: a manager on such a one would corrupt memory.
#pragma once

#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/executor.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

namespace kcontrol::inline v0_1::detail {

// A context itself, in whatever number of threads; a strand of it is none of these, nor is a simulated context.
inline bool may_run_concurrently(const executor& ex) {
    return ex.target<boost::asio::io_context::executor_type>() != nullptr ||
           ex.target<boost::asio::thread_pool::executor_type>() != nullptr;
}

/// Called on the executor. It posts something there, and stays for a moment: what runs meanwhile runs on another
/// thread. On one thread that moment is a millisecond. A thread that is busy all the time is not seen: true is certain,
/// false is not.
inline bool runs_concurrently(environment& env, const executor& ex) {
    if (!may_run_concurrently(ex)) return false;
    const auto met = std::make_shared<std::atomic<bool>>(false);
    const std::thread::id here = std::this_thread::get_id();
    for (int i = 0; i < 3; ++i) {
        boost::asio::post(ex, [met, here] {
            if (std::this_thread::get_id() != here) met->store(true);
        });
    }
    // Each yield lets a thread run that was woken. The environment's clock says how long that may take: a test whose
    // clock is slow waits until all have been woken. One that stands still, as in tests too, ends it by the count.
    constexpr int least = 50, most = 2000;
    const time_point start = env.now();
    for (int i = 0; !met->load(); ++i) {
        const duration waited = env.now() - start;
        if (i >= least && waited >= std::chrono::milliseconds(2)) break;
        if (i >= most && waited == duration::zero()) break;
        std::this_thread::yield();
    }
    return met->load();
}

}  // namespace kcontrol::detail

// A loop that whoever waits for something runs, one thread at a time.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/base/thrown.hpp>
#include <kcontrol/runtime/executor.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace kcontrol::inline v0_1::detail {

/// Thread-safety: shared objects safe.
class blocking_loop : public std::enable_shared_from_this<blocking_loop> {
public:
    executor get_executor() { return context_.get_executor(); }

    /// Begins the call on the loop and runs that until there is an outcome, or lets another thread run it that does so
    /// already.
    template <class Outcome>
    Outcome run(const std::function<awaitable<Outcome>()>& begin) {
        if (auto refused = refuse_nested()) return std::move(*refused);
        const auto out = std::make_shared<pending<Outcome>>();
        boost::asio::co_spawn(context_, keep<Outcome>(shared_from_this(), &begin, out), boost::asio::detached);
        if (auto stuck = drive(out->done)) return std::move(*stuck);
        return std::move(*out->outcome);
    }

private:
    template <class Outcome>
    struct pending {
        std::optional<Outcome> outcome;  // written before done, read after it
        std::atomic<bool> done = false;
    };

    template <class Outcome>
    static awaitable<void> keep(std::shared_ptr<blocking_loop> loop, const std::function<awaitable<Outcome>()>* begin,
                                std::shared_ptr<pending<Outcome>> out) {
        try {
            awaitable<Outcome> call = (*begin)();
            out->outcome.emplace(co_await std::move(call));
        } catch (...) {
            out->outcome.emplace(error(errc::unavailable, describe_thrown()));
        }
        loop->finished(out->done);
    }

    KCONTROL_DECL std::optional<error> refuse_nested();
    KCONTROL_DECL std::optional<error> drive(const std::atomic<bool>& done);
    std::size_t run_one();
    KCONTROL_DECL void finished(std::atomic<bool>& done);

    boost::asio::io_context context_{1};
    std::mutex mutex_;
    std::condition_variable changed_;
    bool driven_ = false;  // a thread runs the context
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/blocking_loop.ipp>
#endif

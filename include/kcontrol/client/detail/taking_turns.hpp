// One after another: who writes to what takes one writer at a time.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <memory>
#include <stop_token>
#include <utility>

namespace kcontrol::inline v0_1::detail {

/// Thread-safety: shared objects unsafe; it belongs to one strand. Object lifetime: shared by those who wait.
class taking_turns {
public:
    /// Ends the turn of who holds it.
    class turn {
    public:
        turn() = default;
        explicit turn(std::shared_ptr<taking_turns> of) : of_(std::move(of)) {}
        turn(turn&&) noexcept = default;
        turn& operator=(turn&&) = delete;
        ~turn() {
            if (!of_) return;
            of_->taken_ = false;
            of_->free_.notify_one();
        }

    private:
        std::shared_ptr<taking_turns> of_;
    };

    /// Errors: stopped.
    static awaitable<result<turn>> next(std::shared_ptr<taking_turns> of, environment& env, std::stop_token stop) {
        while (of->taken_) {
            const wake why = co_await of->free_.wait(env, stop);
            // A notification that came with the stop is passed on.
            if (why == wake::stopped) {
                if (!of->taken_) of->free_.notify_one();
                co_return error(errc::stopped);
            }
        }
        of->taken_ = true;
        co_return turn(std::move(of));
    }

private:
    bool taken_ = false;
    async_event free_;
};

}  // namespace kcontrol::detail

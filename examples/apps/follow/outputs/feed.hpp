// Brings the newest value to one output, again and again until it is there.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "outputs/output.hpp"

#include <functional>
#include <memory>

namespace follow {

/// The newest value, and the tasks that wait for a newer one.
///
/// Thread-safety: shared objects unsafe; all of it on one strand.
class board {
public:
    /// Replaces the value.
    void publish(view v) {
        now_ = std::move(v);
        ++number_;
        changed_.notify_all();
    }

    const view& now() const noexcept { return now_; }
    /// 0: nothing was published yet.
    std::uint64_t number() const noexcept { return number_; }
    kcontrol::async_event& changed() noexcept { return changed_; }

private:
    view now_;
    std::uint64_t number_ = 0;
    kcontrol::async_event changed_;
};

/// Puts what is on the board until `stop`. A failure is logged, and repeated with the newest value after 100 ms,
/// growing to output::again() or 10 s. One that is final ends it, after a call of `ended`. Object lifetime: all that it
/// refers to outlives it.
kcontrol::awaitable<void> feed(kcontrol::environment& env, output& to, board& from, std::function<void()> ended,
                               kcontrol::logger log, std::stop_token stop);

}  // namespace follow

// The body of a scripted answer, which a test feeds while it is read.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <deque>
#include <span>
#include <stop_token>
#include <string>

namespace kcontrol::inline v0_1::testing {

/// How a streamed body ends after its last slice.
enum class stream_end {
    clean,      ///< properly
    truncated,  ///< in the middle of a message
    lost,       ///< by a broken connection
    open,       ///< not at all, until the idle time, the stop token, or the test's next push
};

/// A body that arrives slice by slice. A read gives out one slice, or what of it fits.
///
/// Thread-safety: shared objects unsafe; use it on the executor of its reader. Object lifetime: the environment
/// outlives it.
class scripted_body {
public:
    explicit scripted_body(environment& env) : env_(env) {}  ///< without a slice, and open

    void push(std::string slice);  ///< after those before; an empty one is passed over
    void end(stream_end how);      ///< once the slices are read; default stream_end::open
    /// True once the reader has closed the stream.
    bool abandoned() const noexcept { return abandoned_; }

    /// The reader's side.
    void abandon() noexcept { abandoned_ = true; }
    /// What there is of the next slice, or 0 at a clean end; waits for at most `idle`. Errors: stopped, timeout,
    /// truncated, connection_lost.
    awaitable<result<std::size_t>> read(std::span<char> into, duration idle, std::stop_token stop);

private:
    std::size_t take(std::span<char> into);

    environment& env_;
    std::deque<std::string> slices_;
    stream_end end_ = stream_end::open;
    async_event changed_;
    bool abandoned_ = false;
};

}  // namespace kcontrol::testing

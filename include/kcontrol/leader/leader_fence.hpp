// Whether this process leads at this very moment, for whoever writes: asked before each write, from any thread.
#pragma once

#include <kcontrol/client/write_guard.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Open while the process leads: since the Lease was renewed last, less than the renew deadline has passed on a clock
/// that counts suspension. So it shuts by itself, though the program was stopped, the machine slept or the network is
/// cut, and before any other candidate can lead. A handle: copies are the same fence.
///
/// Thread-safety: shared objects safe for const access. Object lifetime: the environment outlives it.
class leader_fence {
public:
    /// One that is shut; only a leader_elector opens its own. `lease` is what errors name.
    leader_fence(environment& env, std::string lease) : state_(std::make_shared<state>(env, std::move(lease))) {}

    /// Whether the process leads at this moment.
    bool open() const noexcept { return state_->env->boot_now().time_since_epoch().count() < state_->until; }
    /// How long it is still open, or not_leading.
    KCONTROL_DECL result<duration> remaining() const;
    /// Of the present term, else of the last one; 0 before the first. It is the resourceVersion of the write that
    /// acquired the Lease, or, where that write's answer was lost, the one that was read back. It grows from term to
    /// term, whoever leads, and also after the Lease was deleted. A store that refuses a smaller token than it has seen
    /// is safe from writes of a former leader. Source: KEP-5504 (versions can be compared).
    std::uint64_t token() const noexcept { return state_->token; }
    /// For client::guarded(): writes are refused while it is shut, and none is waited for longer than it is open.
    KCONTROL_DECL write_guard guard() const;

private:
    friend class leader_elector;
    struct state {
        state(environment& e, std::string l) : env(&e), lease(std::move(l)) {}
        environment* env;
        const std::string lease;
        std::atomic<std::int64_t> until{0};  // environment::boot_now()
        std::atomic<std::uint64_t> token{0};
    };
    void set(time_point until) const noexcept { state_->until = until.time_since_epoch().count(); }
    // Before it opens: whoever finds it open finds the token of that term.
    void begin(std::uint64_t token) const noexcept { state_->token = token; }

    std::shared_ptr<state> state_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/leader/impl/leader_fence.ipp>
#endif

// binding_machine: the steps of one binding, from the decision to the answer that ends its assumption.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/runtime/time.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace kcontrol::inline v0_1::scheduling::detail {

/// What is to be done next.
enum class binding_step : std::uint8_t {
    permit,     ///< the plugins' permit
    pre_bind,   ///< the plugins' pre_bind
    bind,       ///< a plugin's bind, or pods/binding
    read,       ///< reads the pod, pause() later
    mark,       ///< writes the pod's condition, so that the server refuses a binding that is on its way still
    post_bind,  ///< the plugins' post_bind
    done,       ///< nothing: outcome() says how it ended
};

/// What came of a step.
enum class binding_answer : std::uint8_t {
    ok,         ///< it went well; of read and mark see the others
    rejected,   ///< a plugin refuses the pod
    failed,     ///< it failed, and had no effect
    conflict,   ///< 409: somebody wrote to the pod, or bound it
    lost,       ///< there is no answer: it may have had its effect
    missing,    ///< there is no such pod any more
    here,       ///< read and mark: the pod is on the node that was decided
    elsewhere,  ///< read and mark: on another one
    nowhere,    ///< read and mark: it is on no node, and is as it was when the decision was made
    changed,    ///< read and mark: the same, but it has changed since then
    stopped,    ///< the program stops, or does not lead any more
};

/// How it ended.
enum class binding_outcome : std::uint8_t {
    pending,   ///< it has not
    bound,     ///< the pod is on the node
    refused,   ///< it is on none, and no request can put it there
    settled,   ///< the pod that was read last says where it is; or there is none
    deserted,  ///< nobody waits for the end any more: the next process reads everything anew
};

/// One binding. A lost answer is never taken for a failure: the pod is read until there is an answer, however long that
/// takes, and is written to before its place is given away.
///
/// A conflict is mostly one of versions: another writer changed the pod's status. Then the pod is bound again, in its
/// new version, unless something has changed that a decision looks at.
class binding_machine {
public:
    binding_step step() const noexcept { return step_; }
    binding_outcome outcome() const noexcept { return outcome_; }

    /// What came of step().
    void answered(binding_answer what) noexcept {
        if (what == binding_answer::stopped) return end(binding_outcome::deserted);
        switch (step_) {
        case binding_step::permit: return planned(what, binding_step::pre_bind);
        case binding_step::pre_bind: return planned(what, binding_step::bind);
        case binding_step::bind: return sent(what);
        case binding_step::read: return seen(what);
        case binding_step::mark: return seen(what);
        case binding_step::post_bind: return end(binding_outcome::bound);
        case binding_step::done: return;
        }
    }

    /// How long to wait before step(): not at all, but for a read that follows another one.
    duration pause() const noexcept {
        if (step_ != binding_step::read || reads_ == 0) return {};
        return std::min<duration>(first_pause * (1U << std::min(reads_ - 1, 10U)), longest_pause);
    }

    static constexpr duration first_pause = std::chrono::milliseconds(100);
    static constexpr duration longest_pause = std::chrono::seconds(10);

private:
    static constexpr unsigned most_conflicts = 3;  // of one binding; it is decided about anew then

    void end(binding_outcome how) noexcept {
        step_ = binding_step::done;
        outcome_ = how;
    }

    // Before anything was sent.
    void planned(binding_answer what, binding_step next) noexcept {
        if (what != binding_answer::ok) return end(binding_outcome::refused);
        step_ = next;
    }

    void sent(binding_answer what) noexcept {
        switch (what) {
        case binding_answer::ok: step_ = binding_step::post_bind; return;
        case binding_answer::missing: return end(binding_outcome::settled);
        case binding_answer::conflict: ++conflicts_; break;
        case binding_answer::lost: was_lost_ = true; break;
        default: return end(binding_outcome::refused);
        }
        step_ = binding_step::read;
        reads_ = 0;
    }

    void seen(binding_answer what) noexcept {
        switch (what) {
        case binding_answer::here: step_ = binding_step::post_bind; return;
        case binding_answer::elsewhere:
        case binding_answer::missing:
        case binding_answer::conflict: return end(binding_outcome::settled);  // another pod of that name
        case binding_answer::nowhere:
        case binding_answer::changed: return unbound(what == binding_answer::changed);
        default: step_ = binding_step::read; ++reads_;
        }
    }

    void unbound(bool changed) noexcept {
        const bool marked = step_ == binding_step::mark;
        if (was_lost_ && !marked) {
            step_ = binding_step::mark;
        } else if (marked || changed || conflicts_ > most_conflicts) {
            end(binding_outcome::settled);
        } else {
            step_ = binding_step::bind;
        }
    }

    binding_step step_ = binding_step::permit;
    binding_outcome outcome_ = binding_outcome::pending;
    bool was_lost_ = false;
    unsigned conflicts_ = 0;
    unsigned reads_ = 0;
};

}  // namespace kcontrol::scheduling::detail

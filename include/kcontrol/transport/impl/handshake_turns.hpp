// Turns at TLS handshakes. Each takes some 30 KB while it goes on, and malloc keeps what it has had: a process that
// began with a thousand of them at once would hold 30 MB from then on.
#pragma once

#include <kcontrol/runtime/wait.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <stop_token>
#include <utility>

namespace kcontrol::inline v0_1::http::detail {

/// Lets so many go on at a time, the others in the order in which they came. Peers that are silent keep nobody waiting
/// for long: where none was given a turn for `patience`, the turns that are taken count no longer.
///
/// Thread-safety: shared objects safe.
/// Object lifetime: `env` outlives it; its turns share it.
class handshake_turns {
public:
    handshake_turns(environment& env, std::size_t most, duration patience = std::chrono::milliseconds(250))
        : env_(env), most_(most), patience_(patience) {}

    /// One's place among those that wait, and then one's turn until it is destroyed.
    ///
    /// Thread-safety: touched on the executor of the coroutine that takes it only.
    class turn {
    public:
        /// `of` is null where there is no limit.
        explicit turn(std::shared_ptr<handshake_turns> of) : of_(std::move(of)) {}
        ~turn() {
            if (of_) of_->leave(*this);
        }
        turn(const turn&) = delete;
        turn& operator=(const turn&) = delete;

        /// `notified`: it is one's turn.
        awaitable<wake> take(std::stop_token stop, time_point deadline) {
            if (!of_) co_return wake::notified;
            ex_ = co_await boost::asio::this_coro::executor;
            while (!of_->enter(*this)) {
                const time_point until = std::min(deadline, of_->stalled_at());
                const wake why = co_await called_->wait(of_->env_, stop, until);
                if (why == wake::stopped) co_return why;
                if (why == wake::timeout && of_->env_.now() >= deadline) co_return why;
            }
            co_return wake::notified;
        }

    private:
        friend class handshake_turns;

        std::shared_ptr<handshake_turns> of_;
        executor ex_;
        // The rest belongs to what it is a turn of, and its mutex.
        std::shared_ptr<async_event> called_;  // null: it never waited
        std::list<turn*>::iterator at_;
        bool waits_ = false, has_ = false;
        std::uint64_t round_ = 0;
    };

    std::size_t waiting() const {
        const std::lock_guard lock(mutex_);
        return waiting_.size();
    }

private:
    bool enter(turn& who) {
        const std::lock_guard lock(mutex_);
        if (who.has_) return true;
        const time_point now = env_.now();
        if (taken_ == most_ && now >= given_at_ + patience_) {
            taken_ = 0;
            ++round_;
        }
        if (taken_ < most_ && waiting_.empty()) {
            give(who, now);
            return true;
        }
        if (!who.waits_) {
            who.called_ = std::make_shared<async_event>();
            who.at_ = waiting_.insert(waiting_.end(), &who);
            who.waits_ = true;
        }
        hand_on(now);
        return who.has_;
    }

    void leave(turn& who) noexcept {
        const std::lock_guard lock(mutex_);
        if (who.waits_) waiting_.erase(who.at_);
        if (who.has_ && who.round_ == round_) --taken_;
        hand_on(env_.now());
    }

    time_point stalled_at() const {
        const std::lock_guard lock(mutex_);
        return given_at_ + patience_;
    }

    void give(turn& to, time_point now) noexcept {
        ++taken_;
        given_at_ = now;
        to.has_ = true;
        to.round_ = round_;
    }

    void hand_on(time_point now) noexcept {
        while (taken_ < most_ && !waiting_.empty()) {
            turn& next = *waiting_.front();
            waiting_.pop_front();
            next.waits_ = false;
            give(next, now);
            try {
                boost::asio::post(next.ex_, [event = next.called_] { event->notify_all(); });
            } catch (const std::bad_alloc&) {
                // Who waits looks again when nothing has moved for a while.
                continue;
            }
        }
    }

    environment& env_;
    const std::size_t most_;
    const duration patience_;
    mutable std::mutex mutex_;
    std::list<turn*> waiting_;
    std::size_t taken_ = 0;
    time_point given_at_{};
    std::uint64_t round_ = 0;  // those of an earlier one count no longer
};

}  // namespace kcontrol::http::detail

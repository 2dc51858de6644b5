// Turns at what takes the loop long, such as large answers, so that what takes it no time is not behind all of it.
#pragma once

#include <kcontrol/runtime/wait.hpp>

#include <boost/asio/post.hpp>

#include <cstddef>
#include <list>
#include <memory>
#include <utility>

namespace kcontrol::inline v0_1::http::detail {

/// Lets some coroutines through in each round of the loop. A round is over when all that was ready at its beginning has
/// run: as many handlers as there may be, and one look at the sockets. So however many want a turn, the others wait for
/// no more than a few. Who has waited the longest is next.
///
/// Thread-safety: touched on its executor only.
class turns : public std::enable_shared_from_this<turns> {
public:
    turns(environment& env, executor ex) : env_(env), ex_(std::move(ex)) {}

    static constexpr std::size_t each_round = 4;

    /// Returns when it is the caller's turn, after `at_most`, or when `stop` is triggered. What has the turn goes on
    /// until it waits for something, and has nothing to give back.
    awaitable<void> take(std::stop_token stop, duration at_most) {
        begin_round();
        if (left_ != 0) {
            --left_;
            co_return;
        }
        place mine(waiting_);
        const auto woken = co_await mine.turn.wait(env_, std::move(stop), env_.now() + at_most);
        static_cast<void>(woken);
    }

    std::size_t waiting() const noexcept { return waiting_.size(); }

private:
    struct place {
        explicit place(std::list<place*>& list) : of(list), at(list.insert(list.end(), this)) {}
        ~place() { leave(); }
        place(const place&) = delete;
        place& operator=(const place&) = delete;
        void leave() {
            if (there) of.erase(at);
            there = false;
        }

        async_event turn;
        std::list<place*>& of;
        std::list<place*>::iterator at;
        bool there = true;
    };

    // What is posted runs after all that is ready now.
    void begin_round() {
        if (std::exchange(in_round_, true)) return;
        boost::asio::post(ex_, [weak = weak_from_this()] {
            if (const auto self = weak.lock()) self->end_round();
        });
    }

    void end_round() {
        in_round_ = false;
        for (left_ = each_round; left_ != 0 && !waiting_.empty(); --left_) {
            place& next = *waiting_.front();
            next.leave();
            next.turn.notify_all();
        }
        if (left_ != each_round) begin_round();
    }

    environment& env_;
    executor ex_;
    std::size_t left_ = each_round;
    bool in_round_ = false;
    std::list<place*> waiting_;
};

}  // namespace kcontrol::http::detail

// The simulator's heart: an executor with virtual time, one thread and a seeded choice of what runs next.
#pragma once

#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/runtime/time.hpp>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/execution.hpp>
#include <boost/asio/execution_context.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// A deterministic generator (splitmix64). Equal seeds give equal numbers everywhere.
class sim_random {
public:
    explicit sim_random(std::uint64_t seed) : state_(seed) {}  ///< which decides all its numbers

    /// The next number, of all 64 bits.
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }
    /// Uniform in [0, bound); 0 for bound 0.
    std::uint64_t below(std::uint64_t bound) { return bound == 0 ? 0 : next() % bound; }
    /// True in `percent` of 100 cases.
    bool chance(unsigned percent) { return below(100) < percent; }
    /// Uniform in [least, most].
    duration between(duration least, duration most) {
        return least +
               duration(static_cast<duration::rep>(below(static_cast<std::uint64_t>((most - least).count()) + 1)));
    }

private:
    std::uint64_t state_;
};

/// Runs everything of a simulation on the calling thread. Among the functions that are ready a seeded choice picks the
/// next one; time stands still while one is ready and jumps to the next timer when none is. Give each simulated host a
/// strand of executor(): order is kept within a strand and shuffled between strands, as on real machines.
///
/// Thread-safety: shared objects unsafe; one thread.
/// Object lifetime: outlives every executor, strand and timer made from it.
class sim_context : public boost::asio::execution_context {
public:
    class executor_type;

    /// `seed`: decides what runs next, and what random() gives.
    explicit sim_context(std::uint64_t seed);
    ~sim_context();

    executor_type get_executor() noexcept;  ///< keeps no order of what it runs; a strand of it does

    time_point now() const noexcept { return now_; }  ///< virtual time, which begins at 1 h

    /// Runs until `done` holds (true), or until virtual time would pass `limit` or nothing is left to do (false).
    bool run_until(const std::function<bool()>& done, time_point limit);

    /// Runs until virtual time has moved on by `d`, or by more where something skips time meanwhile.
    void run_for(duration d) {
        const auto end = now_ + d;
        run_until([] { return false; }, end);
        if (now_ < end) now_ = end;
    }

    /// Lets time pass without running anything, as for a program that was stopped (SIGSTOP, a machine that was paused):
    /// what became due meanwhile is late by that. Back, with a negative length, as no correct clock goes: what is yet
    /// to come is later by that.
    void skip(duration by) noexcept { now_ += by; }

    /// A random number of the simulated world, apart from the scheduler's own.
    std::uint64_t random() { return world_.next(); }

    /// Mixes a remark into the digest of the run.
    void trace(std::string_view remark);

    /// A digest of every scheduling choice, timer and remark so far: equal for equal seeds, or something that must be
    /// deterministic is not.
    std::uint64_t digest() const noexcept { return digest_; }

    /// The number of functions run.
    std::uint64_t steps() const noexcept { return steps_; }

    using timer_id = std::pair<time_point, std::uint64_t>;  ///< when it is due, and a number of its own
    /// Runs `handler(true)` at `when` on `ex`; `handler(false)` after cancel_timer().
    timer_id add_timer(time_point when, executor ex, boost::asio::any_completion_handler<void(bool)> handler);
    void cancel_timer(timer_id id);  ///< does nothing if it has expired

private:
    struct task {
        virtual ~task() = default;
        virtual void run() = 0;
    };
    template <class F>
    struct task_of final : task {
        explicit task_of(F f) : function(std::move(f)) {}
        void run() override { std::move(function)(); }
        F function;
    };
    struct pending_timer {
        pending_timer(executor e, boost::asio::any_completion_handler<void(bool)> h)
            : ex(std::move(e)), handler(std::move(h)) {}
        executor ex;
        boost::asio::any_completion_handler<void(bool)> handler;
    };

    void mix(std::uint64_t value);
    void finish_timer(pending_timer timer, bool expired);

    sim_random scheduler_;
    sim_random world_;
    time_point now_{std::chrono::hours(1)};
    std::vector<std::unique_ptr<task>> ready_;
    std::map<timer_id, pending_timer> timers_;
    std::uint64_t next_timer_ = 0;
    std::uint64_t digest_ = 0xcbf29ce484222325ULL;
    std::uint64_t steps_ = 0;
};

/// Asio's view of a sim_context.
class sim_context::executor_type {
public:
    explicit executor_type(sim_context& context) noexcept : context_(&context) {}  ///< of a context that outlives it

    /// The context that it runs on.
    sim_context& query(boost::asio::execution::context_t) const noexcept { return *context_; }
    /// Never: execute() returns before the function runs.
    static constexpr boost::asio::execution::blocking_t query(boost::asio::execution::blocking_t) noexcept {
        return boost::asio::execution::blocking_t::never;
    }
    /// Itself, for it never blocks.
    executor_type require(boost::asio::execution::blocking_t::never_t) const noexcept { return *this; }

    /// Makes a function ready; the seed decides when it runs among those that are.
    template <class F>
    void execute(F f) const {
        context_->ready_.push_back(std::make_unique<task_of<F>>(std::move(f)));
    }

    friend bool operator==(const executor_type&, const executor_type&) noexcept = default;

private:
    sim_context* context_;
};

inline sim_context::executor_type sim_context::get_executor() noexcept { return executor_type(*this); }

}  // namespace kcontrol::testing

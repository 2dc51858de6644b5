// simulate(): a whole program before a cluster in which things go wrong by a seed; what fails is replayed, and shrunk
// to the shortest trace that still fails.
#pragma once

#include <kcontrol/testing/idempotence.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// The faults that a simulation may inject.
enum class injected_fault {
    conflict,          ///< the next write gets 409 Conflict
    server_error,      ///< the next call gets 500
    too_many,          ///< the next call gets 429 with Retry-After
    dropped_response,  ///< the next write is done, and the connection breaks before the response
    dropped,           ///< the connection of the next call breaks before it is done
    restart,           ///< the program dies in its next call, which is done, and starts anew
    broken_watches,    ///< all watches break
    lost_history,      ///< all watches end, and may not resume: 410
    half_open,         ///< what is sent on the connections that are open gets lost without a sign
    unreachable,       ///< no connection is accepted for a while
    stale_replica,     ///< lists and watches show old things for a while
    slow_network,      ///< each request takes seconds to the server for a while
};

std::string_view to_string(injected_fault) noexcept;
/// All of them.
std::vector<injected_fault> all_injected_faults();

/// What is simulated: a world, what a user does in it, what may go wrong, and what must hold.
class scenario {
public:
    /// Kinds, seeds, fakes, server, manager, rest: as for expect_idempotent(). Its rounds, faults and random seed do
    /// not count here.
    scenario& world(idempotence_options o) { return world_ = std::move(o), *this; }

    /// Something that a user or another program does; each step happens once, in their order, at random times.
    using action = std::function<void(api_server&)>;
    /// `name`: what the trace calls it. One that throws ends the run, which is the report then; see simulate().
    scenario& step(std::string name, action f) { return steps_.emplace_back(std::move(name), std::move(f)), *this; }

    /// What must hold after each change: empty, or what is wrong. It writes nothing.
    using invariant = std::function<std::string(const api_server&)>;
    scenario& always(invariant f) { return always_ = std::move(f), *this; }  ///< replaces the one before; default: none
    /// What must hold at rest, at the end.
    scenario& finally(invariant f) { return finally_ = std::move(f), *this; }

    /// For so long steps and faults come. Default 10 min.
    scenario& length(duration d) { return length_ = d, *this; }
    /// Those that may happen; with none, none does. Default: all.
    scenario& faults(std::vector<injected_fault> m) { return faults_ = std::move(m), *this; }
    /// How many faults happen. Default 12.
    scenario& count(std::size_t n) { return count_ = n, *this; }
    /// Whether the end must be that of a world without faults. Default true.
    scenario& compare_ends(bool yes) { return compare_ends_ = yes, *this; }
    /// Whether a failing trace is made shorter, in many runs. Default true.
    scenario& shrinks(bool yes) { return shrinks_ = yes, *this; }
    /// Only these events of the seed's trace happen: how a failure is replayed.
    scenario& only(std::set<std::size_t> events) { return only_ = std::move(events), has_only_ = true, *this; }

    const idempotence_options& world() const noexcept { return world_; }
    /// Their names and functions, in the order in which they happen.
    const std::vector<std::pair<std::string, action>>& steps() const noexcept { return steps_; }
    const invariant& always() const noexcept { return always_; }
    const invariant& finally() const noexcept { return finally_; }
    /// For so long steps and faults come; then all recovers, and all must become idle. Default 10 min.
    duration length() const noexcept { return length_; }
    /// Which faults there are. Default: all.
    const std::vector<injected_fault>& faults() const noexcept { return faults_; }
    /// How many happen. Default 12.
    std::size_t count() const noexcept { return count_; }
    /// Whether the end must be the one of a world in which the steps happen at the same times and nothing goes wrong.
    /// Default true.
    bool compares_ends() const noexcept { return compare_ends_; }
    /// Whether a failing trace is shrunk. Default true.
    bool shrinks() const noexcept { return shrinks_; }
    bool has_only() const noexcept { return has_only_; }  ///< whether only() was called; else all events happen
    const std::set<std::size_t>& only() const noexcept { return only_; }

private:
    idempotence_options world_;
    std::vector<std::pair<std::string, action>> steps_;
    invariant always_, finally_;
    duration length_ = std::chrono::minutes(10);
    std::vector<injected_fault> faults_ = all_injected_faults();
    std::size_t count_ = 12;
    bool compare_ends_ = true;
    bool shrinks_ = true;
    bool has_only_ = false;
    std::set<std::size_t> only_;
};

/// What came out of a simulation.
class simulation_report {
public:
    bool ok() const noexcept { return problem.empty(); }  ///< whether no problem was found
    explicit operator bool() const noexcept { return ok(); }
    /// What is wrong, the shortest trace, and how to replay it; or what was tried.
    std::string text() const;

    std::uint64_t seed = 0;          ///< that simulate() was given
    std::string problem;             ///< of the shortest trace; empty: none
    std::vector<std::string> trace;  ///< what happened, with its number and time: all of it, or the shortest that fails
    std::set<std::size_t> events;    ///< the numbers of these
    std::size_t planned = 0;         ///< how many the seed had
    std::size_t runs = 0;            ///< worlds that were tried
    std::uint64_t digest = 0;  ///< of what was asked, answered and changed in the first run: equal for equal seeds
};

namespace detail {

simulation_report run_simulation(std::uint64_t seed, const kcontrol::detail::setup_step& setup, const scenario& what);

}  // namespace detail

/// Runs a program against a simulated cluster, in virtual time, with steps and faults at times that the seed says.
/// `setup` is what kcontrol::run() takes: a function of `manager&` that adds controllers. Equal seeds run equally.
///
/// It fails if an invariant does not hold, if the program does not stay up or come to rest once nothing goes wrong any
/// more, or if the end differs from that of a world without faults. Then parts of the trace are left out for as long
/// as what is left still fails, and the report says how to replay the rest.
///
/// It fails as well if a step or an invariant throws (a `.value()` that holds an error): the report says which, and
/// what. That trace is not shrunk. Where one throws because an earlier step was left out, that trace does not count.
///
/// Thread-safety: safe; `setup` and the scenario's functions are called in turn, on the calling thread.
template <class Setup>
simulation_report simulate(std::uint64_t seed, Setup setup, const scenario& what) {
    if constexpr (kcontrol::detail::assert_sets_up<Setup>()) {
        return detail::run_simulation(seed, kcontrol::detail::make_setup_step(setup), what);
    } else {
        return {};
    }
}

}  // namespace kcontrol::testing

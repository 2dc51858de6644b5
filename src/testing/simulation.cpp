#include <kcontrol/base/thrown.hpp>
#include <kcontrol/testing/simulation.hpp>

#include "testing/simulated_run.hpp"

#include <map>

namespace kcontrol::inline v0_1::testing {

std::string_view to_string(injected_fault m) noexcept {
    switch (m) {
    case injected_fault::conflict: return "the next write gets a 409";
    case injected_fault::server_error: return "the next call gets a 500";
    case injected_fault::too_many: return "the next call gets a 429";
    case injected_fault::dropped_response: return "the answer to the next write gets lost";
    case injected_fault::dropped: return "the next call breaks off";
    case injected_fault::restart: return "the program dies in its next call";
    case injected_fault::broken_watches: return "watches break";
    case injected_fault::lost_history: return "watches end, and can't resume";
    case injected_fault::half_open: return "connections are half-open";
    case injected_fault::unreachable: return "nobody listens";
    case injected_fault::stale_replica: return "lists and watches are stale";
    case injected_fault::slow_network: return "the network is slow";
    }
    return "";
}

std::vector<injected_fault> all_injected_faults() {
    return {injected_fault::conflict,         injected_fault::server_error,  injected_fault::too_many,
            injected_fault::dropped_response, injected_fault::dropped,       injected_fault::restart,
            injected_fault::broken_watches,   injected_fault::lost_history,  injected_fault::half_open,
            injected_fault::unreachable,      injected_fault::stale_replica, injected_fault::slow_network};
}

std::string simulation_report::text() const {
    const std::string name = "seed " + std::to_string(seed);
    if (ok())
        return name + ": " + std::to_string(trace.size()) + " events, " + std::to_string(runs) + " runs, all is well";
    const bool shrunk = trace.size() < planned;
    std::string out = name + " fails: " + problem + (shrunk ? "\nthe shortest trace (of " : "\nthe trace (") +
                      std::to_string(planned) + " events, " + std::to_string(runs) + (runs == 1 ? " run):" : " runs):");
    std::string numbers;
    for (const auto& line : trace) out += "\n  " + line;
    for (const auto number : events) numbers += (numbers.empty() ? "" : ", ") + std::to_string(number);
    return out + "\nagain: simulate(" + std::to_string(seed) + ", setup, scenario.only({" + numbers + "}))";
}

namespace detail {
namespace {

/// What a run of some events came to.
class run_outcome {
public:
    std::string problem;  ///< what is wrong; empty: nothing
    bool threw = false;   ///< a step or an invariant threw: `problem` says which, and what
};

/// Runs a plan and parts of it.
class shrinker {
public:
    shrinker(std::uint64_t seed, const kcontrol::detail::setup_step& setup, const scenario& what)
        : seed_(seed), setup_(setup), what_(what) {}

    /// Of a run of these events.
    run_outcome outcome_of(const simulated_plan& plan) {
        ++runs_;
        run_outcome out;
        try {
            simulated_run run(seed_, setup_, what_, plan);
            const auto ended = run.play();
            if (digest_ == 0) digest_ = run.digest();
            out.threw = run.threw();
            if (!ended) {
                out.problem = ended.error().what();
            } else if (what_.compares_ends()) {
                out.problem = difference_of_ends(plan, run, out.threw);
            }
        } catch (...) {  // prepare(), for one
            out.threw = true;
            out.problem = "a function of the scenario threw: " + describe_thrown();
        }
        return out;
    }

    /// Leaves halves out, then quarters, then single events, for as long as it still fails. A trace in which the
    /// scenario itself throws does not reproduce the failure: a step may need what an earlier one, left out here,
    /// makes.
    simulated_plan shrink(simulated_plan plan, std::string& problem) {
        std::size_t size = (plan.size() + 1) / 2;
        while (size > 0 && !plan.empty()) {
            bool shorter = false;
            for (std::size_t at = 0; at < plan.size();) {
                simulated_plan rest = plan;
                const std::size_t end = std::min(at + size, plan.size());
                rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at),
                           rest.begin() + static_cast<std::ptrdiff_t>(end));
                run_outcome still = outcome_of(rest);
                if (still.problem.empty() || still.threw) {
                    at += size;
                    continue;
                }
                plan = std::move(rest);
                problem = std::move(still.problem);
                shorter = true;
            }
            if (size == 1 && !shorter) break;
            if (size > 1) size = (size + 1) / 2;
        }
        return plan;
    }

    std::size_t runs() const { return runs_; }
    std::uint64_t digest() const { return digest_; }

private:
    // How the end differs from that of a world without faults, or why that world has none.
    std::string difference_of_ends(const simulated_plan& plan, simulated_run& run, bool& threw) {
        const auto wanted = end_without_faults(plan, threw);
        if (!wanted) return "without an injected fault: " + wanted.error().what();
        const auto differences = compare_end_states(*wanted, run.state());
        return differences.empty() ? std::string() : differences.front();
    }

    // The same steps at the same times.
    result<end_state> end_without_faults(const simulated_plan& plan, bool& threw) {
        simulated_plan steps;
        std::set<std::size_t> numbers;
        for (const auto& event : plan) {
            if (!event.step) continue;
            steps.push_back(event);
            numbers.insert(*event.step);
        }
        const auto known = ends_.find(numbers);
        if (known != ends_.end()) return known->second;
        ++runs_;
        simulated_run run(seed_, setup_, what_, steps);
        const auto ended = run.play();
        threw = run.threw();
        if (!ended) return ended.error();
        return ends_.emplace(std::move(numbers), run.state()).first->second;
    }

    std::uint64_t seed_;
    const kcontrol::detail::setup_step& setup_;
    const scenario& what_;
    std::map<std::set<std::size_t>, end_state> ends_;
    std::size_t runs_ = 0;
    std::uint64_t digest_ = 0;
};

}  // namespace

simulation_report run_simulation(std::uint64_t seed, const kcontrol::detail::setup_step& setup, const scenario& what) {
    simulation_report report;
    report.seed = seed;
    simulated_plan plan = plan_of_seed(seed, what);
    report.planned = plan.size();
    if (what.has_only()) {
        std::erase_if(plan, [&what](const simulated_event& event) { return !what.only().contains(event.number); });
    }
    shrinker worlds(seed, setup, what);
    run_outcome first = worlds.outcome_of(plan);
    report.problem = std::move(first.problem);
    report.digest = worlds.digest();
    // Where a step throws, leaving out those before it would only make it throw for another reason.
    if (!report.ok() && !first.threw && what.shrinks()) plan = worlds.shrink(std::move(plan), report.problem);
    report.runs = worlds.runs();
    for (const auto& event : plan) {
        report.trace.push_back(shown_event(event, what));
        report.events.insert(event.number);
    }
    return report;
}

}  // namespace detail
}  // namespace kcontrol::testing

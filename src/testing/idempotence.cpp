#include <kcontrol/testing/idempotence.hpp>

#include "testing/end_state.hpp"
#include "testing/program_world.hpp"

namespace kcontrol::inline v0_1::testing {

std::string_view to_string(call_fault f) noexcept {
    switch (f) {
    case call_fault::conflict: return "a 409";
    case call_fault::server_error: return "a 500";
    case call_fault::dropped_response: return "a lost answer";
    case call_fault::restart: return "a restart";
    }
    return "";
}

std::string idempotence_report::text() const {
    if (ok()) {
        return std::to_string(calls.size()) + " calls, " + std::to_string(runs) + " runs, the same end in each; " +
               std::to_string(idle_writes) + " writes at rest that changed nothing";
    }
    std::string out;
    for (const auto& problem : problems) out += (out.empty() ? "" : "\n") + problem;
    return out;
}

namespace detail {
namespace {

/// A world in which one call goes wrong, from nothing to rest.
class idempotence_run : public program_world {
public:
    /// `at`: the number of the call, from 0; nothing: none.
    idempotence_run(const kcontrol::detail::setup_step& setup, const idempotence_options& options,
                    std::optional<std::size_t> at, call_fault what)
        : program_world(setup, options, options.random_seed()), at_(at), what_(what) {}

    /// Errors: a seed or the object was refused, the program did not start, or it did not become idle.
    result<void> run_to_idle(const json::value& object) {
        if (auto made = make_seeds(); !made) return made;
        if (auto made = api().create(object); !made) return made.error();
        api().set_faults([this](const http::server_request& request) { return fault_of(request); });
        if (auto started = start(); !started) return started.error();
        auto idle = run_until_idle();
        counting_ = false;
        return idle;
    }

    /// Starts the program anew, and waits until it is idle.
    result<void> round() {
        stop();
        written_.clear();
        if (auto started = start(); !started) return started.error();
        return run_until_idle();
    }

    const std::vector<std::string>& calls() const { return calls_; }

private:
    fault fault_of(const http::server_request& request) {
        if (is_dead()) return fault().drop();
        const auto info = note_call(request);
        if (!info || !counting_ || options().ignored_kinds().contains(info->id())) return {};
        const std::size_t number = calls_.size();
        calls_.push_back(request.method + " " + request.target);
        if (at_ != number) return {};
        switch (what_) {
        case call_fault::conflict: return conflict_of(*info);
        case call_fault::server_error: return fault().status(500, "InternalError", "Internal error occurred: injected");
        case call_fault::dropped_response: return fault().drop_response();
        case call_fault::restart: die(); return {};
        }
        return {};
    }

    std::optional<std::size_t> at_;
    call_fault what_;
    std::vector<std::string> calls_;
    bool counting_ = true;
};

void check_rounds(idempotence_run& run, const idempotence_options& options, idempotence_report& report) {
    for (int i = 1; i <= options.rounds(); ++i) {
        const end_state before = run.state();
        const std::size_t changes = run.changes();
        const auto rested = run.round();
        const std::string name = "round " + std::to_string(i) + " at rest";
        if (!rested) {
            report.problems.push_back(name + ": " + rested.error().what());
            return;
        }
        std::string writes;
        for (const auto& one : run.written()) writes += (writes.empty() ? ": " : ", ") + one;
        if (run.changes() != changes) {
            report.problems.push_back(name + " wrote" + writes);
            for (auto& difference : compare_end_states(before, run.state())) {
                report.problems.push_back("  " + std::move(difference));
            }
        } else if (options.refuses_idle_writes() && !run.written().empty()) {
            report.problems.push_back(name + " wrote, without a change" + writes);
        }
        report.idle_writes += run.written().size();
    }
}

}  // namespace

idempotence_report check_idempotent(const kcontrol::detail::setup_step& setup, json::value object,
                                    idempotence_options options) {
    idempotence_report report;
    end_state wanted;
    {
        idempotence_run run(setup, options, std::nullopt, call_fault::conflict);
        ++report.runs;
        const auto rested = run.run_to_idle(object);
        report.calls = run.calls();
        if (!rested) {
            report.problems.push_back("without a fault: " + rested.error().what());
            return report;
        }
        wanted = run.state();
        check_rounds(run, options, report);
    }
    for (std::size_t at = 0; at < report.calls.size(); ++at) {
        for (std::size_t i = 0; i < options.faults().size(); ++i) {
            if ((at + i) % options.every() != 0) continue;
            const call_fault what = options.faults()[i];
            if (what == call_fault::conflict && report.calls[at].starts_with("GET ")) continue;
            idempotence_run run(setup, options, at, what);
            ++report.runs;
            const auto rested = run.run_to_idle(object);
            const std::string name =
                "with " + std::string(to_string(what)) + " at call " + std::to_string(at) + ", " + report.calls[at];
            if (!rested) {
                report.problems.push_back(name + ": " + rested.error().what());
                continue;
            }
            for (auto& difference : compare_end_states(wanted, run.state())) {
                report.problems.push_back(name + ": " + std::move(difference));
            }
        }
    }
    return report;
}

}  // namespace detail
}  // namespace kcontrol::testing

#pragma once

#include <kcontrol/apiserver/request_info.hpp>
#include <kcontrol/testing/detail/end_state.hpp>
#include <kcontrol/testing/idempotence.hpp>

#include <memory>
#include <stop_token>

namespace kcontrol::testing {

KCONTROL_DECL std::string_view to_string(call_fault f) noexcept {
    switch (f) {
    case call_fault::conflict: return "a 409";
    case call_fault::server_error: return "a 500";
    case call_fault::lost_answer: return "a lost answer";
    case call_fault::restart: return "a restart";
    }
    return "";
}

KCONTROL_DECL std::string idempotence_report::text() const {
    if (ok()) {
        return std::to_string(calls.size()) + " calls, " + std::to_string(runs) + " runs, the same end in each; " +
               std::to_string(idle_writes) + " writes at rest that changed nothing";
    }
    std::string out;
    for (const auto& problem : problems) out += (out.empty() ? "" : "\n") + problem;
    return out;
}

namespace detail {

inline bool is_write(std::string_view verb) { return verb != "get" && verb != "list" && verb != "watch"; }

// The 409 that a server may say at any time: of an update, that somebody wrote; of a create, that of a quota.
inline fault conflict_of(const request_info& info) {
    const failure said =
        info.verb == "create"
            ? failure::conflict(group_resource("", "resourcequotas"), "quota",
                                "the object has been modified; please apply your changes to the latest version and try "
                                "again")
            : failure::modified(info.id(), info.name);
    return fault().answer(http::response(409, "application/json", json::serialize(said.status())));
}

/// A world in which one call goes wrong, from nothing to rest.
class idempotence_run {
public:
    /// `at`: the number of the call, from 0; nothing: none.
    idempotence_run(const kcontrol::detail::setup_step& setup, const idempotence_options& options,
                    std::optional<std::size_t> at, call_fault what)
        : setup_(setup), options_(options), at_(at), what_(what), world_(options.random_seed()) {
        server_ = &world_.add_server("cluster", options.server());
        for (const auto& kind : options.kinds()) {
            const auto known = api().get(kind.id(), {});
            if (!known && known.error() == errc::no_such_kind) api().register_resource(kind);
        }
        if (options.preparing()) options.preparing()(world_, *server_);
        listening_ = api().on_change([this](const resource_type& type, change, const json::value&) {
            if (!options_.ignored_kinds().contains(type.id())) ++changes_;
        });
    }
    ~idempotence_run() {
        stop();
        api().set_faults({});
    }
    idempotence_run(const idempotence_run&) = delete;
    idempotence_run& operator=(const idempotence_run&) = delete;

    /// Errors: a seed or the object was refused, the program did not start, or there was no rest.
    result<void> to_rest(const json::value& object) {
        if (options_.fakes()) fakes_ = std::make_unique<fake_cluster>(world_, *server_, *options_.fakes());
        for (const auto& seed : options_.seeds()) {
            if (auto made = api().create(seed); !made) return made.error();
        }
        if (auto made = api().create(object); !made) return made.error();
        api().set_faults([this](const http::server_request& request) { return fault_of(request); });
        if (auto started = start(); !started) return started.error();
        auto rested = rest();
        counting_ = false;
        return rested;
    }

    /// Starts the program anew, and waits for rest.
    result<void> round() {
        stop();
        written_.clear();
        if (auto started = start(); !started) return started.error();
        return rest();
    }

    end_state state() { return read_end_state(api(), options_); }
    std::size_t changes() const { return changes_; }
    const std::vector<std::string>& calls() const { return calls_; }
    /// The writes since the round began.
    const std::vector<std::string>& written() const { return written_; }

private:
    api_server& api() { return server_->api(); }

    fault fault_of(const http::server_request& request) {
        const auto info = parse_request(request);
        if (dead_) return fault().drop();
        if (!info || info->verb == "watch") return {};
        const bool ignored = options_.ignored_kinds().contains(info->id());
        const bool writes = info->is_resource && is_write(info->verb);
        if (writes && !ignored) written_.push_back(request.method + " " + request.target);
        if (!counting_ || ignored) return {};
        const std::size_t number = calls_.size();
        calls_.push_back(request.method + " " + request.target);
        if (at_ != number) return {};
        switch (what_) {
        case call_fault::conflict: return conflict_of(*info);
        case call_fault::server_error: return fault().status(500, "InternalError", "Internal error occurred: injected");
        case call_fault::lost_answer: return fault().lose_answer();
        case call_fault::restart: dies_ = true; return {};
        }
        return {};
    }

    // What fails in the set-up ends a program; whoever runs it starts it anew.
    result<void> start() {
        constexpr int attempts = 5;
        result<void> begun;
        for (int i = 0; i < attempts; ++i) {
            manager_ = std::make_unique<kcontrol::manager>(world_.env(), world_.get_executor(),
                                                           world_.connect(*server_), options_.manager());
            awaitable<result<void>> setting_up =
                kcontrol::detail::run_setup(*manager_, setup_, std::chrono::seconds(30), std::stop_token());
            begun = world_.run(std::move(setting_up));
            if (begun) {
                manager_->start();
                return {};
            }
            stop();
        }
        return begun;
    }

    void stop() {
        if (!manager_) return;
        world_.run(manager_->stop());
        manager_.reset();
    }

    // A program that dies: what it still has to say nobody hears.
    result<void> restart() {
        dies_ = false;
        dead_ = true;
        stop();
        dead_ = false;
        return start();
    }

    result<void> rest() {
        const time_point until = world_.context().now() + options_.limit();
        int deaths = 0;
        while (world_.context().now() < until) {
            const std::size_t before = changes_;
            const time_point end = world_.context().now() + options_.quiet();
            const auto ends = [this] { return dies_ || manager_->state() == manager_state::idle; };
            if (world_.run_until(ends, options_.quiet())) {
                if (++deaths > 10) return error(errc::timeout, "the program does not stay up: " + last_error());
                if (auto again = restart(); !again) return again;
                continue;
            }
            if (changes_ == before && (!fakes_ || fakes_->idle())) return {};
            if (world_.context().now() < end) world_.run_for(end - world_.context().now());
        }
        return error(errc::timeout, "no rest within " + std::to_string(in_seconds(options_.limit())) +
                                        " s; the last writes: " + last_writes());
    }

    std::string last_error() const {
        const auto& why = manager_->last_error();
        return why ? why->what() : std::string("it stops without an error");
    }
    std::string last_writes() const {
        std::string out;
        for (std::size_t i = written_.size() > 3 ? written_.size() - 3 : 0; i < written_.size(); ++i) {
            out += (out.empty() ? "" : ", ") + written_[i];
        }
        return out.empty() ? "none by the program" : out;
    }
    static std::int64_t in_seconds(duration d) { return std::chrono::duration_cast<std::chrono::seconds>(d).count(); }

    const kcontrol::detail::setup_step& setup_;
    const idempotence_options& options_;
    std::optional<std::size_t> at_;
    call_fault what_;
    std::vector<std::string> calls_, written_;
    std::size_t changes_ = 0;
    bool counting_ = true, dies_ = false, dead_ = false;
    sim_world world_;
    sim_server* server_ = nullptr;
    std::shared_ptr<void> listening_;
    std::unique_ptr<fake_cluster> fakes_;
    std::unique_ptr<kcontrol::manager> manager_;
};

inline void check_rounds(idempotence_run& run, const idempotence_options& options, idempotence_report& report) {
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

KCONTROL_DECL idempotence_report check_idempotent(const kcontrol::detail::setup_step& setup, json::value object,
                                                  idempotence_options options) {
    idempotence_report report;
    end_state wanted;
    {
        idempotence_run run(setup, options, std::nullopt, call_fault::conflict);
        ++report.runs;
        const auto rested = run.to_rest(object);
        report.calls = run.calls();
        if (!rested) {
            report.problems.push_back("without a fault: " + rested.error().what());
            return report;
        }
        wanted = run.state();
        check_rounds(run, options, report);
    }
    for (std::size_t at = 0; at < report.calls.size(); ++at) {
        for (const call_fault what : options.faults()) {
            if (what == call_fault::conflict && report.calls[at].starts_with("GET ")) continue;
            idempotence_run run(setup, options, at, what);
            ++report.runs;
            const auto rested = run.to_rest(object);
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

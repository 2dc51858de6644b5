// One run of a simulation: what happens when, by the seed, and a world in which it does.
#pragma once

#include <kcontrol/base/fnv1a.hpp>
#include <kcontrol/base/thrown.hpp>
#include <kcontrol/testing/simulation.hpp>
#include <kcontrol/values/api_duration.hpp>

#include "testing/program_world.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

namespace kcontrol::inline v0_1::testing::detail {

/// A step, or an injected fault.
class simulated_event {
public:
    std::size_t number = 0;
    duration at{};
    std::optional<std::size_t> step;
    injected_fault what = injected_fault::conflict;
    duration lasts{};
};

using simulated_plan = std::vector<simulated_event>;

/// splitmix64: the same numbers everywhere.
class plan_random {
public:
    explicit plan_random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t below(std::uint64_t n) {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return (z ^ (z >> 31)) % n;
    }

private:
    std::uint64_t state_;
};

inline bool lasts_a_while(injected_fault m) {
    return m == injected_fault::unreachable || m == injected_fault::stale_replica || m == injected_fault::slow_network;
}

inline simulated_plan plan_of_seed(std::uint64_t seed, const scenario& what) {
    plan_random random(seed);
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(what.length()).count();
    const auto time = [&] {
        return duration(std::chrono::milliseconds(
            random.below(static_cast<std::uint64_t>(std::max<std::int64_t>(milliseconds, 1)))));
    };
    simulated_plan plan;
    std::vector<duration> times;
    for (std::size_t i = 0; i < what.steps().size(); ++i) times.push_back(time());
    std::sort(times.begin(), times.end());
    for (std::size_t i = 0; i < times.size(); ++i) {
        simulated_event event;
        event.at = times[i];
        event.step = i;
        plan.push_back(event);
    }
    for (std::size_t i = 0; i < what.count() && !what.faults().empty(); ++i) {
        simulated_event event;
        event.at = time();
        event.what = what.faults()[random.below(what.faults().size())];
        event.lasts = std::chrono::milliseconds(100 + random.below(60'000));
        plan.push_back(event);
    }
    std::stable_sort(plan.begin(), plan.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
    for (std::size_t i = 0; i < plan.size(); ++i) plan[i].number = i;
    return plan;
}

inline std::string shown_event(const simulated_event& event, const scenario& what) {
    std::string out = "[" + std::to_string(event.number) + "] " + format_duration(event.at) + ": ";
    if (event.step) return out + what.steps()[*event.step].first;
    out += to_string(event.what);
    return lasts_a_while(event.what) ? out + ", for " + format_duration(event.lasts) : out;
}

/// A world in which a plan happens, from nothing to rest.
class simulated_run : public program_world {
public:
    simulated_run(std::uint64_t seed, const kcontrol::detail::setup_step& setup, const scenario& what,
                  const simulated_plan& plan)
        : program_world(setup, what.world(), seed), scenario_(what), plan_(plan) {
        watching_ = api().on_change([this](const resource_type& type, change how, const json::value& object) {
            mix(type.plural + std::to_string(static_cast<int>(how)) +
                std::string(json::get_string(object, {"metadata", "resourceVersion"})));
            if (broken_.empty() && scenario_.always()) {
                broken_ = checked("the invariant always()", scenario_.always());
            }
        });
    }
    ~simulated_run() {
        heal();
        watching_.reset();
    }

    /// Errors: what is wrong. A function of the scenario that throws is wrong as well; see threw().
    result<void> play() {
        if (auto made = make_seeds(); !made) return made;
        api().set_faults([this](const http::server_request& request) { return fault_of(request); });
        if (auto started = start(); !started) return started;
        const time_point begun = world().context().now();
        for (const auto& event : plan_) {
            if (auto done = advance(begun + event.at); !done) return done;
            if (auto done = happen(event); !done) return done;
        }
        if (auto done = advance(begun + scenario_.length()); !done) return done;
        heal();
        auto rested = run_until_idle();
        if (!broken_.empty()) return error(errc::callback_failed, broken_);
        if (!rested) return rested;
        const std::string wrong =
            scenario_.finally() ? checked("the invariant finally()", scenario_.finally()) : std::string();
        if (!wrong.empty()) return error(errc::callback_failed, wrong);
        return {};
    }

    std::uint64_t digest() const { return digest_.value(); }
    /// Whether a step or an invariant threw: the scenario itself failed, whatever the program did.
    bool threw() const { return threw_; }

private:
    // What an invariant says, or that it threw: it is called while a server answers, so nothing may get out.
    std::string checked(std::string_view name, const scenario::invariant& holds) {
        try {
            return holds(api());
        } catch (...) {
            threw_ = true;
            return std::string(name) + " threw: " + describe_thrown();
        }
    }

    result<void> do_step(std::size_t number) {
        const auto& [name, action] = scenario_.steps()[number];
        try {
            action(api());
            return {};
        } catch (...) {
            threw_ = true;
            return error(errc::callback_failed, "the step \"" + name + "\" threw: " + describe_thrown());
        }
    }

    // To that time; what lasted until before then ends in between.
    result<void> advance(time_point when) {
        while (!undo_.empty() && undo_.begin()->first <= when) {
            const auto next = undo_.begin()->first;
            if (auto done = run_to(next); !done) return done;
            auto ends = std::move(undo_.begin()->second);
            undo_.erase(undo_.begin());
            ends();
        }
        auto done = run_to(when);
        if (!broken_.empty()) return error(errc::callback_failed, broken_);
        return done;
    }

    result<void> happen(const simulated_event& event) {
        if (event.step) return do_step(*event.step);
        inject(event);
        return {};
    }

    void inject(const simulated_event& event) {
        const std::string& host = server().name();
        sim_network& network = world().network();
        const auto until = [&](std::function<void()> ends) {
            undo_.emplace(world().context().now() + event.lasts, std::move(ends));
        };
        switch (event.what) {
        case injected_fault::broken_watches: return api().break_watches();
        case injected_fault::lost_history: api().compact(api().resource_version()); return api().end_watches();
        case injected_fault::half_open: return network.freeze_connections(host);
        case injected_fault::unreachable:
            ++cuts_;
            network.set_link(host, link_state::refused);
            network.break_connections(host);
            return until([this] {
                if (--cuts_ == 0) world().network().set_link(server().name(), link_state::up);
            });
        case injected_fault::stale_replica:
            if (stale_++ == 0) api().freeze("stale", api().resource_version());
            return until([this] {
                if (--stale_ == 0) api().thaw("stale");
            });
        case injected_fault::slow_network:
            ++slow_;
            network.set_latency(host, std::chrono::seconds(1), std::chrono::seconds(3));
            return until([this] {
                if (--slow_ == 0) fast();
            });
        default: armed_.push_back(event.what);
        }
    }

    void fast() {
        world().network().set_latency(server().name(), std::chrono::microseconds(100), std::chrono::milliseconds(5));
    }

    // Nothing goes wrong any more.
    void heal() {
        for (auto& [when, ends] : undo_) ends();
        undo_.clear();
        armed_.clear();
    }

    fault fault_of(const http::server_request& request) {
        if (is_dead()) return fault().drop();
        const auto info = note_call(request);
        mix(request.method + request.target);
        fault out;
        if (stale_ > 0) out.replica("stale");
        if (!info || !info->is_resource || options().ignored_kinds().contains(info->id())) return out;
        const bool writes = is_write(info->verb);
        const auto next = std::find_if(armed_.begin(), armed_.end(), [writes](injected_fault m) {
            return writes || (m != injected_fault::conflict && m != injected_fault::dropped_response);
        });
        if (next == armed_.end()) return out;
        const injected_fault what = *next;
        armed_.erase(next);
        switch (what) {
        case injected_fault::conflict: return conflict_of(*info);
        case injected_fault::server_error: return out.status(500, "InternalError", "Internal error occurred: injected");
        case injected_fault::too_many: return out.status(429, "TooManyRequests", "injected", 1);
        case injected_fault::dropped_response: return out.drop_response();
        case injected_fault::dropped: return out.drop();
        case injected_fault::restart: die(); return out;
        default: return out;
        }
    }

    // All that happens.
    void mix(std::string_view text) { digest_.add(text); }

    const scenario& scenario_;
    const simulated_plan& plan_;
    std::shared_ptr<void> watching_;
    std::multimap<time_point, std::function<void()>> undo_;
    std::vector<injected_fault> armed_;
    std::string broken_;
    bool threw_ = false;
    int cuts_ = 0, stale_ = 0, slow_ = 0;
    fnv1a digest_;
};

}  // namespace kcontrol::testing::detail

// What happens in the demo: which clusters there are, and when they join, change, fall silent and leave.
#pragma once

#include <kcontrol/multicluster/cluster_source.hpp>
#include <kcontrol/runtime/task_group.hpp>

#include "demo/job_lives.hpp"
#include "demo/ledger.hpp"
#include "demo/showcase.hpp"
#include "demo/simulated_cluster.hpp"
#include "monitor.hpp"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace training_monitor::demo {

/// Says which clusters there should be, as the scenario has it.
class scripted_source final : public kcontrol::cluster_source {
public:
    kcontrol::result<void> start(std::function<void(std::vector<kcontrol::desired_cluster>)> on_change) override;
    void stop() override { on_change_ = nullptr; }

    /// There should be exactly these from now on, reached as their config() says now.
    void set(const std::vector<const simulated_cluster*>& clusters);

private:
    std::function<void(std::vector<kcontrol::desired_cluster>)> on_change_;
    std::vector<kcontrol::desired_cluster> desired_;
};

/// Three clusters, their jobs, and the script.
///
/// Thread-safety: shared objects unsafe. Object lifetime: the environment and the monitor outlive it; the monitor owns
/// the source that take_source() gives.
class scenario {
public:
    /// `say` gets a line about each step.
    scenario(kcontrol::environment& env, kcontrol::executor ex, monitor& m,
             std::function<void(const std::string&)> say);

    /// With a `showcase`, one more cluster that stays has a job for each cause, and another one can't be reached.
    kcontrol::result<void> start(double pace, bool with_showcase, std::stop_token stop);
    std::unique_ptr<kcontrol::cluster_source> take_source() { return std::move(source_); }

    /// One pass through the script; false if it was stopped.
    kcontrol::awaitable<bool> play(double pace, std::stop_token stop);

    /// Ends the jobs' lives where they are, and waits for what still runs.
    kcontrol::awaitable<void> freeze();
    kcontrol::awaitable<void> stop();

    ledger& book() noexcept { return book_; }

    /// Breaches of "nobody else was touched".
    const std::vector<std::string>& complaints() const noexcept { return complaints_; }

private:
    using counts = std::vector<std::size_t>;

    counts requests_but_of(const simulated_cluster& one);
    void expect_untouched(const simulated_cluster& one, const counts& before, const std::string& when);
    kcontrol::awaitable<bool> wait_state(const simulated_cluster& cluster, std::string state, std::stop_token stop);

    kcontrol::environment& env_;
    monitor& monitor_;
    std::function<void(const std::string&)> say_;
    ledger book_;
    void set_clusters(std::vector<const simulated_cluster*> clusters);

    simulated_cluster alpha_, beta_, gamma_, prod_, lab_;
    showcase causes_;
    bool with_showcase_ = false;
    std::unique_ptr<scripted_source> source_ = std::make_unique<scripted_source>();
    scripted_source* script_ = source_.get();
    std::stop_source lives_;
    kcontrol::task_group tasks_;
    std::vector<std::string> complaints_;
};

}  // namespace training_monitor::demo

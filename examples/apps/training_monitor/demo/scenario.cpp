#include "scenario.hpp"

namespace training_monitor::demo {
namespace {

constexpr job_mix alpha_mix{false, false};
constexpr job_mix beta_mix{true, false};
constexpr job_mix gamma_mix{true, true};

}  // namespace

kcontrol::result<void> scripted_source::start(std::function<void(std::vector<kcontrol::desired_cluster>)> on_change) {
    on_change_ = std::move(on_change);
    on_change_(desired_);
    return {};
}

void scripted_source::set(const std::vector<const simulated_cluster*>& clusters) {
    desired_.clear();
    for (const auto* cluster : clusters) desired_.emplace_back(cluster->name(), cluster->config());
    if (on_change_) on_change_(desired_);
}

scenario::scenario(kcontrol::environment& env, kcontrol::executor ex, monitor& m,
                   std::function<void(const std::string&)> say)
    : env_(env),
      monitor_(m),
      say_(std::move(say)),
      alpha_(env, ex, "alpha"),
      beta_(env, ex, "beta"),
      gamma_(env, ex, "gamma"),
      prod_(env, ex, "prod-h100"),
      lab_(env, ex, "lab-a100"),
      causes_(env, prod_),
      tasks_(env, ex) {}

kcontrol::result<void> scenario::start(double pace, bool with_showcase, std::stop_token) {
    with_showcase_ = with_showcase;
    prepare(alpha_, alpha_mix);
    prepare(beta_, beta_mix);
    prepare(gamma_, gamma_mix);
    for (auto* cluster : {&alpha_, &beta_, &gamma_}) {
        const auto started = cluster->start();
        if (!started) return started.error().with_context("cluster " + cluster->name());
    }
    if (with_showcase) {
        prepare(prod_, alpha_mix);
        causes_.fill();
        for (auto* cluster : {&prod_, &lab_}) {
            const auto started = cluster->start();
            if (!started) return started.error().with_context("cluster " + cluster->name());
        }
        tasks_.spawn(lab_.go_down());  // for good
        tasks_.spawn(causes_.lose_a_gpu(lives_.get_token()));
    }
    const auto at = [&](simulated_cluster& cluster) {
        return life_setting(env_, cluster, book_, pace, lives_.get_token());
    };
    tasks_.spawn(run_jobs(at(alpha_), alpha_mix, tasks_));
    tasks_.spawn(run_jobs(at(beta_), beta_mix, tasks_));
    tasks_.spawn(run_jobs(at(gamma_), gamma_mix, tasks_));
    set_clusters({&alpha_, &beta_});
    return {};
}

void scenario::set_clusters(std::vector<const simulated_cluster*> clusters) {
    if (with_showcase_) clusters.insert(clusters.end(), {&prod_, &lab_});
    script_->set(clusters);
}

// Lists and watches of the kinds that every cluster has; others are looked for again and again.
scenario::counts scenario::requests_but_of(const simulated_cluster& one) {
    counts out;
    for (auto* cluster : {&alpha_, &beta_, &gamma_}) {
        const bool counted = cluster != &one;
        out.push_back(counted ? cluster->requests("pytorchjobs") + cluster->requests("jobs") : 0);
    }
    return out;
}

void scenario::expect_untouched(const simulated_cluster& one, const counts& before, const std::string& when) {
    if (requests_but_of(one) == before) return;
    complaints_.push_back("when " + when + ", other clusters were listed or watched anew");
}

kcontrol::awaitable<bool> scenario::wait_state(const simulated_cluster& cluster, std::string state,
                                               std::stop_token stop) {
    const auto deadline = env_.now() + std::chrono::seconds(20);
    while (env_.now() < deadline) {
        for (const auto& shown : monitor_.table().clusters()) {
            if (shown->name == cluster.name() && shown->state == state) co_return true;
        }
        const auto woken = co_await kcontrol::sleep_for(env_, std::chrono::milliseconds(100), stop);
        if (woken == kcontrol::wake::stopped) co_return false;
    }
    complaints_.push_back("cluster " + cluster.name() + " did not become " + state);
    co_return true;
}

kcontrol::awaitable<bool> scenario::play(double pace, std::stop_token stop) {
    const life_setting clock(env_, alpha_, book_, pace, stop);  // for its pass()
    say_("two clusters, alpha and beta");
    if (const bool more = co_await clock.pass(4); !more) co_return false;

    auto before = requests_but_of(gamma_);
    say_("a third cluster, gamma, joins");
    set_clusters({&alpha_, &beta_, &gamma_});
    if (const bool seen = co_await wait_state(gamma_, "live", stop); !seen) co_return false;
    if (const bool more = co_await clock.pass(3); !more) co_return false;
    expect_untouched(gamma_, before, "gamma joined");

    before = requests_but_of(beta_);
    say_("the credentials of beta are rotated: only its watches are made anew");
    beta_.rotate();
    set_clusters({&alpha_, &beta_, &gamma_});
    if (const bool more = co_await clock.pass(2); !more) co_return false;
    beta_.revoke_old_tokens();
    if (const bool seen = co_await wait_state(beta_, "live", stop); !seen) co_return false;
    if (const bool more = co_await clock.pass(2); !more) co_return false;
    expect_untouched(beta_, before, "the credentials of beta changed");

    before = requests_but_of(alpha_);
    say_("alpha can't be reached; its jobs go on unseen");
    co_await alpha_.go_down();
    if (const bool seen = co_await wait_state(alpha_, "unreachable", stop); !seen) co_return false;
    if (const bool more = co_await clock.pass(4); !more) co_return false;
    const auto back = alpha_.come_back();
    if (!back) complaints_.push_back("alpha: " + back.error().what());
    say_("alpha is back; what happened meanwhile is caught up with");
    if (const bool seen = co_await wait_state(alpha_, "live", stop); !seen) co_return false;
    if (const bool more = co_await clock.pass(2); !more) co_return false;
    expect_untouched(alpha_, before, "alpha was away");

    before = requests_but_of(gamma_);
    say_("gamma leaves");
    set_clusters({&alpha_, &beta_});
    if (const bool more = co_await clock.pass(3); !more) co_return false;
    expect_untouched(gamma_, before, "gamma left");
    co_return true;
}

kcontrol::awaitable<void> scenario::freeze() {
    lives_.request_stop();
    co_await tasks_.join();
}

kcontrol::awaitable<void> scenario::stop() {
    co_await freeze();
    co_await alpha_.stop();
    co_await beta_.stop();
    co_await gamma_.stop();
    co_await prod_.stop();
    co_await lab_.stop();
}

}  // namespace training_monitor::demo

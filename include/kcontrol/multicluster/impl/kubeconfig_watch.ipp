#pragma once

#include <kcontrol/multicluster/detail/kubeconfig_watch.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::detail {

inline constexpr duration kubeconfig_sweep_period = std::chrono::seconds(30);

KCONTROL_DECL kubeconfig_watch::kubeconfig_watch(environment& env, executor ex, std::string directory,
                                                 look_function look, std::string whose, std::string about, logger log)
    : env_(env),
      ex_(std::move(ex)),
      directory_(std::move(directory)),
      look_(std::move(look)),
      whose_(std::move(whose)),
      about_(std::move(about)),
      log_(std::move(log)),
      calls_(env, log_),
      tasks_(env, ex_, log_) {}

KCONTROL_DECL void kubeconfig_watch::sweep() {
    call_again_.reset();
    auto found = look_();
    if (!found) {
        // What is unreadable is not gone: the clusters stay.
        const std::string why = found.error().what();
        if (why != failure_) {
            log_.error("the kubeconfigs can't be read; the clusters stay as they are",
                       {{"path", escape_control(about_)}, {"error", why}});
        }
        failure_ = why;
        return;
    }
    failure_.clear();
    auto next = tracker_.observe(env_.now(), std::move(*found));
    if (published_ && *published_ == next) return;
    published_ = next;
    const auto tell = on_change_;  // it may stop this
    if (calls_.call(
            whose_, [&] { tell(std::move(next)); }, [this] { return about_; })) {
        return pause_.reset();
    }
    published_.reset();
    call_again_ = env_.now() + pause_.next(env_.now(), random_unit(env_));
}

KCONTROL_DECL awaitable<void> kubeconfig_watch::run(std::shared_ptr<kubeconfig_watch> self, std::stop_token stop) {
    while (!stop.stop_requested()) {
        self->sweep();
        if (stop.stop_requested()) co_return;
        auto next = self->env_.now() + kubeconfig_sweep_period;
        if (self->tracker_.next_scan()) next = std::min(next, *self->tracker_.next_scan());
        if (self->call_again_) next = std::min(next, *self->call_again_);
        co_await self->changed_.wait(self->env_, stop, next);
    }
}

KCONTROL_DECL result<void> kubeconfig_watch::start(std::function<void(std::vector<desired_cluster>)> on_change) {
    if (term_) return error(errc::invalid_argument, "the source of clusters runs already; stop it first");
    auto first = look_();
    if (!first) return first.error();
    on_change_ = std::move(on_change);
    // What was known before a stop is old: a file that is gone must not be taken for one that is being replaced.
    tracker_ = directory_tracker();
    published_.reset();
    failure_.clear();
    term_ = std::make_unique<scope>();
    auto watch = env_.watch_directory(ex_, directory_);
    if (watch) {
        watch_ = std::move(*watch);
        watch_->start([weak = weak_from_this()] {
            if (const auto self = weak.lock()) self->changed_.notify_all();
        });
    } else {
        log_.warning("changes of kubeconfigs are noticed only every 30 s",
                     {{"path", escape_control(about_)}, {"error", watch.error().what()}});
    }
    tasks_.spawn(run(shared_from_this(), term_->token()));
    return {};
}

KCONTROL_DECL void kubeconfig_watch::stop() {
    watch_.reset();
    on_change_ = nullptr;
    term_.reset();
}

}  // namespace kcontrol::detail

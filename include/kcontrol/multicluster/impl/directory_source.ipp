#pragma once

#include <kcontrol/multicluster/detail/on_change_backoff.hpp>
#include <kcontrol/multicluster/directory_source.hpp>
#include <kcontrol/multicluster/directory_tracker.hpp>
#include <kcontrol/multicluster/scan_directory.hpp>
#include <kcontrol/runtime/backoff.hpp>
#include <kcontrol/runtime/guarded_calls.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol {
namespace detail {

inline constexpr duration directory_sweep_period = std::chrono::seconds(30);

}  // namespace detail

struct directory_source::impl : std::enable_shared_from_this<impl> {
    impl(environment& e, executor x, std::string p, auth::trust t, logger l)
        : env(e),
          ex(std::move(x)),
          path(std::move(p)),
          trust(t),
          log(std::move(l)),
          calls(env, log),
          tasks(env, ex, log) {}

    result<std::vector<directory_tracker::finding>> look() { return scan_directory(env, path, trust, log); }

    void sweep() {
        call_again.reset();
        auto found = look();
        if (!found) {
            // What is unreadable is not gone: the clusters stay.
            log.error("the directory of kubeconfigs can't be read", {{"error", found.error().what()}});
            return;
        }
        auto next = tracker.observe(env.now(), std::move(*found));
        if (published && *published == next) return;
        published = next;
        const auto tell = on_change;  // it may stop this
        const bool told = calls.call(
            "on_change() of a directory_source", [&] { tell(std::move(next)); }, [this] { return path; });
        if (told) return pause.reset();
        published.reset();
        call_again = env.now() + pause.next(env.now(), random_unit(env));
    }

    static awaitable<void> run(std::shared_ptr<impl> self, std::stop_token stop) {
        while (!stop.stop_requested()) {
            self->sweep();
            if (stop.stop_requested()) co_return;
            auto next = self->env.now() + detail::directory_sweep_period;
            if (self->tracker.look_again_at()) next = std::min(next, *self->tracker.look_again_at());
            if (self->call_again) next = std::min(next, *self->call_again);
            co_await self->changed.wait(self->env, stop, next);
        }
    }

    environment& env;
    executor ex;
    std::string path;
    auth::trust trust;
    logger log;
    guarded_calls calls;
    task_group tasks;
    directory_tracker tracker;
    std::optional<std::vector<desired_cluster>> published;
    std::function<void(std::vector<desired_cluster>)> on_change;
    backoff pause{detail::on_change_backoff()};
    std::optional<time_point> call_again;  // it threw
    std::unique_ptr<directory_watch> watch;
    async_event changed;
    std::unique_ptr<scope> term;  // from start() to stop()
};

KCONTROL_DECL directory_source::directory_source(environment& env, executor ex, std::string path, auth::trust level,
                                                 logger log)
    : impl_(std::make_shared<impl>(env, std::move(ex), std::move(path), level, std::move(log))) {}

KCONTROL_DECL directory_source::~directory_source() { stop(); }

KCONTROL_DECL result<void> directory_source::start(std::function<void(std::vector<desired_cluster>)> on_change) {
    if (impl_->term) return error(errc::invalid_argument, "the source of clusters runs already; stop it first");
    auto first = impl_->look();
    if (!first) return first.error();
    impl_->on_change = std::move(on_change);
    // What was known before a stop is old: a file that is gone must not be taken for one that is being replaced.
    impl_->tracker = directory_tracker();
    impl_->published.reset();
    impl_->term = std::make_unique<scope>();
    auto watch = impl_->env.watch_directory(impl_->ex, impl_->path);
    if (watch) {
        impl_->watch = std::move(*watch);
        impl_->watch->start([weak = impl_->weak_from_this()] {
            if (const auto self = weak.lock()) self->changed.notify_all();
        });
    } else {
        impl_->log.warning("changes of the directory of kubeconfigs are noticed only every 30 s",
                           {{"error", watch.error().what()}});
    }
    impl_->tasks.spawn(impl::run(impl_, impl_->term->token()));
    return {};
}

KCONTROL_DECL void directory_source::stop() {
    impl_->watch.reset();
    impl_->on_change = nullptr;
    impl_->term.reset();
}

}  // namespace kcontrol

#include "service/run_loop.hpp"

#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/values/api_duration.hpp>

#include "outputs/feed.hpp"
#include "service/outlook.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace follow {
namespace {

using kcontrol::api_errc;
using kcontrol::errc;
using kcontrol::error;
using kcontrol::time_point;

bool is_of_target(const error& why) { return why == api_errc::not_found || why == errc::invalid_argument; }

// What more time does not heal: the rights, and the name or the port once all of the target is known. A leader whose
// address is not known is a leader.
bool is_lasting(const error& why, bool confirmed, const options& o) {
    if (why == api_errc::forbidden || why == api_errc::unauthorized) return true;
    return confirmed && is_of_target(why) && !(o.what == followed::leader && why == errc::invalid_argument);
}

std::optional<time_point> earlier(std::optional<time_point> a, std::optional<time_point> b) {
    if (!a || !b) return a ? a : b;
    return std::min(*a, *b);
}

// One run: what was published, and whether the server has answered.
class loop {
public:
    loop(kcontrol::environment& env, const options& o, source& from, kcontrol::logger log)
        : env_(env), o_(o), from_(from), log_(std::move(log)), begun_(env.now()) {
        if (o_.timeout) deadline_ = begun_ + *o_.timeout;
    }

    board& shown() noexcept { return board_; }
    kcontrol::async_event& changed() noexcept { return changed_; }
    void fail() {
        failed_ = true;
        changed_.notify_all();
    }

    // How it ends, or nothing: then `wake_at()` says when it is to be looked at again.
    std::optional<exit_status> look() {
        if (failed_) return exit_status::failed;
        const view now = from_.current();
        if (now.state == freshness::live && now.version != 0) confirmed_ = true;
        report_problem();
        const auto next = decide(now, ages_of(now), o_.max_stale, o_.when_stale);
        if (next.exit) {
            log_.error("the value is too old; see --max-stale and --on-stale", {{"target", o_.target()}});
            return exit_status::stale;
        }
        if (next.publish) publish(*next.publish);
        if (!confirmed_ && deadline_ && env_.now() >= *deadline_) return late(now);
        wake_at_ = confirmed_ ? std::nullopt : deadline_;
        if (next.again_in) wake_at_ = earlier(wake_at_, env_.now() + *next.again_in);
        return std::nullopt;
    }

    std::optional<time_point> wake_at() const noexcept { return wake_at_; }
    bool confirmed() const noexcept { return confirmed_; }

private:
    ages ages_of(const view& now) const {
        const auto waited = env_.now() - begun_;
        ages out;
        out.age = now.version == 0 ? waited : from_.age();
        out.grace =
            confirmed_ ? kcontrol::duration::zero() : std::max(o_.max_stale - waited, kcontrol::duration::zero());
        return out;
    }

    // What is wrong with the target, once each; the library logs what is wrong with the way to it.
    void report_problem() {
        const auto why = from_.problem();
        if (o_.once && why && is_lasting(*why, confirmed_, o_)) return;  // that ends it
        if (!confirmed_ || (why && !is_of_target(*why))) return;
        std::string text = why ? why->message() : std::string();
        if (text == reported_) return;
        if (why) {
            log_.warning("the target is not usable",
                         {{"target", o_.target()}, {"error", kcontrol::escape_control(text)}});
        } else {
            log_.info("the target is usable", {{"target", o_.target()}});
        }
        reported_ = std::move(text);
    }

    void publish(const view& next) {
        const view& last = board_.now();
        const bool same = board_.number() != 0 && next.same_value(last) && next.state == last.state;
        if (!same) board_.publish(next);
    }

    exit_status late(const view& now) const {
        std::vector<kcontrol::log_field> fields{{"target", o_.target()},
                                                {"timeout", kcontrol::format_duration(*o_.timeout)}};
        if (const auto why = from_.problem()) fields.push_back({"error", why->what()});
        log_.error("the server did not answer in time", std::move(fields));
        return now.version == 0 ? exit_status::failed : exit_status::stale;
    }

    kcontrol::environment& env_;
    const options& o_;
    source& from_;
    kcontrol::logger log_;
    board board_;
    kcontrol::async_event changed_;
    std::string reported_;
    time_point begun_;
    std::optional<time_point> deadline_, wake_at_;
    bool confirmed_ = false, failed_ = false;
};

// Each output once.
kcontrol::awaitable<exit_status> put_once(std::vector<std::unique_ptr<output>>& outputs, view now, kcontrol::logger log,
                                          std::stop_token stop) {
    exit_status out = exit_status::done;
    for (auto& each : outputs) {
        const auto done = co_await each->put(now, stop);
        if (done) continue;
        log.error("the output is not up to date", {{"output", each->name()}, {"error", done.error().what()}});
        out = exit_status::failed;
    }
    co_return out;
}

kcontrol::awaitable<exit_status> follow_on(kcontrol::environment& env, loop& state, std::stop_token stop) {
    while (!stop.stop_requested()) {
        if (const auto end = state.look()) co_return *end;
        co_await state.changed().wait(env, stop, state.wake_at());
    }
    co_return exit_status::done;
}

kcontrol::awaitable<exit_status> follow_once(kcontrol::environment& env, const options& o, loop& state, source& from,
                                             std::vector<std::unique_ptr<output>>& outputs, kcontrol::logger log,
                                             std::stop_token stop) {
    while (!stop.stop_requested()) {
        const auto end = state.look();
        if (end == exit_status::stale && state.shown().number() != 0) {
            const auto put = co_await put_once(outputs, state.shown().now(), log, stop);
            co_return put == exit_status::done ? exit_status::stale : put;
        }
        if (end) co_return *end;
        const auto why = from.problem();
        if (why && is_lasting(*why, state.confirmed(), o)) {
            log.error("can't follow it", {{"error", why->what()}});
            co_return exit_status::failed;
        }
        if (state.confirmed()) {
            const auto put = co_await put_once(outputs, state.shown().now(), log, stop);
            co_return put;
        }
        co_await state.changed().wait(env, stop, state.wake_at());
    }
    co_return exit_status::failed;
}

}  // namespace

kcontrol::awaitable<exit_status> run_loop(kcontrol::environment& env, kcontrol::executor ex, options o, source& from,
                                          std::vector<std::unique_ptr<output>>& outputs, kcontrol::logger log,
                                          std::stop_token stop) {
    loop state(env, o, from, log);
    const auto started = from.start([&state] { state.changed().notify_all(); });
    if (!started) {
        log.error("can't follow it", {{"error", started.error().what()}});
        co_return exit_status::failed;
    }
    exit_status out = exit_status::failed;
    if (o.once) {
        out = co_await follow_once(env, o, state, from, outputs, log, stop);
    } else {
        kcontrol::task_group tasks(env, ex, log);
        kcontrol::scope feeding(stop);
        for (auto& each : outputs) {
            tasks.spawn(feed(
                env, *each, state.shown(), [&state] { state.fail(); }, log, feeding.token()));
        }
        out = co_await follow_on(env, state, stop);
        feeding.stop();
        co_await tasks.join();
    }
    co_await from.stop();
    co_return out;
}

}  // namespace follow

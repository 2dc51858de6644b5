#include "notices/center.hpp"

#include <kcontrol/http/url.hpp>
#include <kcontrol/json/members.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/values/time.hpp>

#include "crypto/hmac.hpp"
#include "history/attention.hpp"
#include "notices/condition_text.hpp"
#include "notices/message.hpp"
#include "table/health.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace training_monitor::notices {
namespace {

constexpr auto restored_patience = std::chrono::minutes(2);

// Where the page shows a job: web/page/4_address.js reads it.
std::string page_of(const job_view& job) {
    std::string path;
    for (const std::string_view part :
         {std::string_view(job.cluster), std::string_view(job.namespace_), job.kind, std::string_view(job.name)}) {
        path.append(path.empty() ? "" : "/").append(kcontrol::http::percent_encode(part));
    }
    return "/?job=" + kcontrol::http::percent_encode(path);
}

// What is told of a job, or a cluster, is one matter.
std::string thread_of(const job_view& job) {
    std::string text;
    for (const std::string_view part : {std::string_view(job.cluster), std::string_view(job.namespace_), job.kind,
                                        std::string_view(job.name), std::string_view(job.uid)}) {
        text.append(part).append(1, '\n');
    }
    return crypto::to_hex(crypto::hmac_sha256("", text)).substr(0, 32);
}

}  // namespace

center::center(kcontrol::environment& env, kcontrol::executor ex, notice_config config, history& past,
               kcontrol::http::transport_factory transport, kcontrol::logger log)
    : env_(env),
      ex_(std::move(ex)),
      config_(std::move(config)),
      past_(past),
      log_(std::move(log)),
      clusters_(config_.cluster_rules),
      out_(env_, ex_, config_.receivers, transport, log_,
           {[this](const notice& n) { finish(n); },
            [this](const notice& n) {
                const auto* known = past_.find(*n.job);
                return known ? known->view : nullptr;
            },
            [this] { time_changed_.notify_all(); }}) {}

void center::take(const observation& seen) {
    for (const auto& each : seen.changes) {
        if (each.what.cluster) take(each.what);
        if (!each.what.job) continue;
        watch(each);
        watch_conditions(each.what);
        take(each);
        const bool removed = each.what.type == change_type::job_removed;
        if (removed ? !each.what.deleted : !each.turned) continue;
        const standing to = removed ? standing() : standing(each.what.job->state);
        announce(out_.open_alerts().moved(*each.what.job, to), each.what.job, to);
    }
    for (const auto& each : seen.found_out) {
        if (!each.gone) continue;
        // People may not have been notified of what it came to before it vanished, either.
        const auto* known = past_.find(*each.job);
        if (known && known->notified && *known->notified != each.last_state) catch_up(*known);
        vigils_.end(*each.job);
        conditions_.over(*each.job);
        notify(each.job, each.last_state, standing());
        announce(out_.open_alerts().moved(*each.job, standing()), each.job, standing());
    }
    time_changed_.notify_all();
}

// For rules with `for:`. Of what is there at the start only the time from now on counts, but for what an earlier run
// saw.
void center::watch(const enriched_change& seen) {
    const change& c = seen.what;
    if (c.type == change_type::job_removed) return vigils_.end(*c.job);
    if (!seen.turned && !c.initial) return;
    const auto* known = past_.find(*c.job);
    if (!known) return;
    const auto& spans = known->spans;
    const auto from = spans.size() > 1 ? standing(spans[spans.size() - 2].state) : standing();
    notice n = make(c.job, from, known->state());
    const auto wanted = delayed_receivers_of(config_.rules, n);
    vigils_.begin(n, n.at - spans.back().from, wanted, n.seen);
}

// For rules about jobs that run with fewer pods than wanted, or that something keeps from training. Times count from
// what the monitor sees.
void center::watch_conditions(const change& c) {
    if (c.type != change_type::job) return conditions_.over(*c.job);
    for (std::size_t i = 1; i < trouble_names.size(); ++i) {
        const auto each = static_cast<trouble>(i);
        if (each != c.job->stuck) condition_over(*c.job, condition_of(each));
    }
    if (c.job->stuck != trouble::none) hold(c.job, condition_of(c.job->stuck), kcontrol::duration::zero());
    if (c.job->state != job_state::running) {
        condition_over(*c.job, job_condition::incomplete);
        return condition_over(*c.job, job_condition::gpus_idle);
    }
    if (!is_incomplete(*c.job)) return condition_over(*c.job, job_condition::incomplete);
    hold(c.job, job_condition::incomplete, kcontrol::duration::zero());
}

void center::take_idle(const std::string& cluster, const std::vector<idle_job>& jobs) {
    std::vector<const job_view*> idle;
    for (const auto& each : jobs) idle.push_back(each.job.get());
    conditions_.only(cluster, job_condition::gpus_idle, idle);
    for (auto& each : out_.open_alerts().only(cluster, job_condition::gpus_idle, idle)) {
        const auto job = each.what.job;
        std::vector<ended_alert> one;
        one.push_back(std::move(each));
        announce(std::move(one), job, job_state::running);
    }
    for (const auto& each : jobs) hold(each.job, job_condition::gpus_idle, env_.wall_now() - each.since);
    time_changed_.notify_all();
}

bool center::restore(const kept_alert& told) {
    if (!out_.restore(told)) return false;
    if (!check_at_) check_at_ = env_.now() + restored_patience;
    return true;
}

// What pods and events say comes bit by bit after a start. What has not shown by now is over, where that can be seen.
void center::check_restored() {
    check_at_.reset();
    for (const auto& n : out_.open_alerts().doubtful()) {
        const auto* known = past_.find(*n.job);
        if (!known || !known->in_view || unreadable_.contains(n.job->cluster)) continue;
        const trouble t = trouble_of(n.condition);
        const bool so = t != trouble::none ? known->view->stuck == t : is_incomplete(*known->view);
        if (!so) condition_over(*known->view, n.condition);
    }
}

void center::hold(std::shared_ptr<const job_view> job, job_condition which, kcontrol::duration lasted) {
    out_.open_alerts().holds(*job, which);
    const bool asked_for =
        std::any_of(config_.rules.begin(), config_.rules.end(), [&](const rule& each) { return each.is_about(which); });
    if (!asked_for) return;
    const job_state state = job->state;
    notice n = make(std::move(job), state, state);
    n.condition = which;
    conditions_.holds(n, lasted, delayed_receivers_of(config_.rules, n), n.seen);
}

void center::condition_over(const job_view& job, job_condition which) {
    conditions_.over(job, which);
    auto ended = out_.open_alerts().over(job, which);
    if (!ended.empty()) announce(std::move(ended), std::make_shared<const job_view>(job), job.state);
}

// In the thread that told of it. Others are not told: their rules say what they want to hear.
void center::announce(std::vector<ended_alert> ended, const std::shared_ptr<const job_view>& job, standing to) {
    const auto at = std::chrono::floor<std::chrono::milliseconds>(env_.wall_now().time_since_epoch()).count();
    for (auto& each : ended) {
        notice n = std::move(each.what);
        if (n.earlier == 0) n.job = job;
        n.from = n.to;
        n.to = to;
        n.at = env_.wall_now();
        n.seen = env_.now();
        n.resolved = true;
        n.changes = 1;
        n.lasted = {};
        n.id = n.thread + "-over-" + std::to_string(at);
        out_.enqueue(each.receiver, std::move(n));
    }
}

void center::take(const change& of_cluster) {
    const auto& cluster = *of_cluster.cluster;
    if (of_cluster.type == change_type::cluster_removed) {
        unreadable_.erase(cluster.name);
        out_.open_alerts().forget(cluster.name);
        std::erase_if(parked_, [&](const lasted_state& s) { return s.what.job->cluster == cluster.name; });
        return clusters_.forget(cluster.name);
    }
    if (is_unreadable(cluster)) {
        unreadable_.insert(cluster.name);
    } else if (cluster.state != "connecting" && unreadable_.erase(cluster.name) > 0) {
        for (auto& each : std::exchange(parked_, {})) release(std::move(each));
    }
    if (const auto back = clusters_.set(cluster, env_.now())) tell(*back);
}

// A cluster stands as a job of its name. What is told of it leaves no mark in the history of jobs.
void center::tell(const cluster_news& news) {
    job_view cluster;
    cluster.cluster = cluster.name = news.cluster;
    cluster.kind = "Cluster";
    cluster.message = news.reason;
    notice n;
    n.job = std::make_shared<const job_view>(std::move(cluster));
    n.cluster_from = news.from;
    n.cluster_to = news.to;
    n.at = env_.wall_now();
    n.seen = env_.now();
    n.lasted = std::max<kcontrol::duration>(news.lasted, std::chrono::seconds(1));
    if (!config_.external_url.empty()) n.link = config_.external_url + "/";
    const auto at = std::chrono::floor<std::chrono::milliseconds>(n.at.time_since_epoch()).count();
    n.id =
        crypto::to_hex(crypto::hmac_sha256("", news.cluster + "\n" + std::string(news.to) + "\n" + std::to_string(at)))
            .substr(0, 32);
    n.thread = thread_of(*n.job);
    for (const auto& to : news.receivers) {
        // Nobody need hear that it is back who was not yet told that it was away.
        const auto kept = std::find_if(quiet_.begin(), quiet_.end(), [&](const auto& each) {
            const notice& what = each.second.what;
            return each.second.to == to.receiver && what.is_of_cluster() && what.thread == n.thread;
        });
        if (kept != quiet_.end()) {
            quiet_.erase(kept);
            continue;
        }
        tell(to.receiver, config_.cluster_rules[to.rule].manner, n);
    }
}

// What a rule says of its notices.
void center::tell(std::size_t receiver, const rule_manner& how, notice n) {
    n.level = how.level;
    n.runbook = how.runbook;
    const auto now = env_.wall_now();
    const auto until = how.quiet ? quiet_until(*how.quiet, now) : std::nullopt;
    if (until) {
        quiet_.emplace(env_.now() + (*until - now), quiet_notice{receiver, std::move(n)});
        time_changed_.notify_all();
        return;
    }
    if (n.lasted > kcontrol::duration::zero()) return out_.enqueue(receiver, std::move(n));
    out_.hand_over(receiver, std::move(n));
}

// Of what was kept back, what no longer is so is no news.
void center::end_quiet(kcontrol::time_point now) {
    while (!quiet_.empty() && quiet_.begin()->first <= now) {
        auto [to, what] = std::move(quiet_.begin()->second);
        quiet_.erase(quiet_.begin());
        what.seen = now;
        if (what.lasted > kcontrol::duration::zero()) {
            if (still_holds(what)) out_.enqueue(to, std::move(what));
        } else {
            out_.hand_over(to, std::move(what));
        }
    }
}

bool center::still_holds(const notice& n) const {
    if (n.is_of_cluster()) return true;
    const auto* known = past_.find(*n.job);
    if (!known || !known->in_view || unreadable_.contains(n.job->cluster)) return false;
    const trouble t = trouble_of(n.condition);
    return t != trouble::none ? known->view->stuck == t : known->state() == n.to.state();
}

// The state has lasted: the job is told of as it is now.
void center::release(lasted_state over) {
    if (unreadable_.contains(over.what.job->cluster)) return parked_.push_back(std::move(over));
    notice n = std::move(over.what);
    const auto* known = past_.find(*n.job);
    if (!known || !known->in_view) return;
    const bool of_trouble = trouble_of(n.condition) != trouble::none;
    if (of_trouble) n.from = n.to = known->state();
    if (known->state() != n.to.state()) return;
    n.at = env_.wall_now();
    n.seen = env_.now();
    const auto lasted = std::chrono::duration_cast<std::chrono::seconds>(n.lasted);
    n.id = id_of(*known->view, n.to) + "-" + std::to_string(lasted.count());
    n.job = known->view;
    if (n.condition != job_condition::none) {
        n.job = std::make_shared<const job_view>(told_as(n.condition, *known->view, n.at - lasted));
        // It may come and go while the job runs: each time is a notice of its own.
        const auto since = std::chrono::floor<std::chrono::seconds>((n.at - lasted).time_since_epoch()).count();
        n.id += "-" + std::string(to_string(n.condition)) + "-" + std::to_string(since);
    }
    n.thread = thread_of(*n.job);
    tell(over.receiver, config_.rules[over.rule].manner, std::move(n));
}

void center::take(const enriched_change& seen) {
    const change& c = seen.what;
    if (c.type == change_type::job_removed) {
        if (c.deleted) notify(c.job, c.job->state, standing());
        return;
    }
    if (const auto& turned = seen.turned) {
        // A job that is met for the first time where it was all along: not news.
        if (turned->while_away && !turned->from) return past_.mark_notified(*c.job, turned->to);
        if (turned->while_away && past_.is_notified(*c.job, turned->to)) return;
        return notify(c.job, turned->from ? standing(*turned->from) : standing(), turned->to);
    }
    if (!c.initial) return;
    // The state was known when the program ended. Were people notified of it, too?
    const auto* known = past_.find(*c.job);
    if (!known) return;
    if (!known->notified) return past_.mark_notified(*c.job, c.job->state);
    if (*known->notified != c.job->state) catch_up(*known);
}

// From the state of which people were notified last to what the job has come to.
void center::catch_up(const job_record& known) {
    if (known.has_pending()) return;  // its cluster left and returned; the notice is still on its way
    const bool nothing_yet = *known.notified == job_state::unknown && known.spans.size() == 1;
    notify(known.view, nothing_yet ? standing() : standing(*known.notified), known.state());
}

// The same when the same notice is sent again after a restart: made of the job, its state, and since when it has it.
std::string center::id_of(const job_view& job, standing to) const {
    auto since = env_.wall_now();
    if (const auto* known = past_.find(job)) since = known->spans.back().from;
    kcontrol::json::writer out;  // an array, so that no name can run into the next
    out.begin_array();
    for (const std::string_view part :
         {std::string_view(job.cluster), std::string_view(job.namespace_), std::string_view(job.kind),
          std::string_view(job.name), std::string_view(job.uid), to.state() ? to_string(*to.state()) : gone_state}) {
        out.value(part);
    }
    out.value(std::chrono::floor<std::chrono::milliseconds>(since.time_since_epoch()).count());  // as memory/ keeps it
    out.end_array();
    return crypto::to_hex(crypto::hmac_sha256("", out.take())).substr(0, 32);
}

notice center::make(std::shared_ptr<const job_view> job, standing from, standing to) const {
    notice n;
    n.job = std::move(job);
    n.from = from;
    n.to = to;
    n.at = env_.wall_now();
    n.seen = env_.now();
    if (!config_.external_url.empty()) {
        n.link = config_.external_url + page_of(*n.job);
    } else if (auto links = links_of(config_.links, *n.job); !links.empty()) {
        n.link = std::move(links.front().url);
    }
    const auto* known = past_.find(*n.job);
    if (to != standing(job_state::restarting) || !known) return n;
    for (const auto& each : known->spans) {
        if (each.state == job_state::restarting) n.restarts.push_back(each.from);
    }
    return n;
}

void center::notify(std::shared_ptr<const job_view> job, standing from, standing to) {
    notice n = make(std::move(job), from, to);
    // A job of which nobody was ever notified leaves its mark now, or a restart that comes before the delivery would
    // take it for old news.
    const auto* known = past_.find(*n.job);
    if (to.state() && known && !known->notified) {
        past_.mark_notified(*n.job, from.state().value_or(job_state::unknown));
    }
    const auto chosen = receivers_of(config_.rules, n);
    if (chosen.empty()) return finish(n);
    n.id = id_of(*n.job, to);
    n.open = std::make_shared<open_notice>(static_cast<std::uint32_t>(chosen.size()), past_.add_pending(*n.job));
    n.thread = thread_of(*n.job);
    for (const auto& each : chosen) {
        tell(each.receiver, config_.rules[each.rule].manner, n);
    }
}

// One receiver is done with it. When all are, people are notified of the job's state, unless it has moved on.
void center::finish(const notice& n) {
    for (const auto& each : n.members) finish(each);
    // It is beside the one of the change, which leaves the mark.
    if (n.lasted > kcontrol::duration::zero() || n.resolved) return;
    if (n.open && !n.open->close()) return;
    const auto* known = past_.find(*n.job);
    if (known && n.to.state() && known->state() == *n.to.state()) past_.mark_notified(*n.job, *n.to.state());
    past_.settled(*n.job);
}

std::optional<kcontrol::time_point> center::next_time() const {
    auto out = vigils_.next();
    if (const auto due = conditions_.next()) out = std::min(out.value_or(*due), *due);
    if (const auto due = clusters_.next()) out = std::min(out.value_or(*due), *due);
    if (!quiet_.empty()) out = std::min(out.value_or(quiet_.begin()->first), quiet_.begin()->first);
    if (check_at_) out = std::min(out.value_or(*check_at_), *check_at_);
    if (const auto due = out_.next_time()) out = std::min(out.value_or(*due), *due);
    return out;
}

// What becomes due by time alone: states that have lasted, and repeats that were held back.
kcontrol::awaitable<void> center::serve_time(std::stop_token stop) {
    while (!stop.stop_requested()) {
        const auto now = env_.now();
        for (auto& over : vigils_.take(now)) release(std::move(over));
        for (auto& over : conditions_.take(now)) release(std::move(over));
        for (const auto& news : clusters_.take(now)) tell(news);
        end_quiet(now);
        if (check_at_ && *check_at_ <= now) check_restored();
        out_.release_due(now);
        const auto next = next_time();
        co_await time_changed_.wait(env_, stop, next);
    }
}

kcontrol::awaitable<void> center::run(std::stop_token stop) {
    kcontrol::task_group tasks(env_, ex_, log_);
    tasks.spawn(serve_time(stop));
    out_.spawn(tasks, stop);
    co_await tasks.join();
}

}  // namespace training_monitor::notices

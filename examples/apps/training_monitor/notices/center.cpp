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
      clusters_(config_.cluster_rules) {
    for (const auto& each : config_.receivers) {
        receivers_.push_back(std::make_unique<receiver>(each, receivers_.size(), sender(env_, ex_, each, transport)));
    }
}

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
        announce(alerts_.moved(*each.what.job, to), each.what.job, to);
    }
    for (const auto& each : seen.found_out) {
        if (!each.gone) continue;
        // People may not have been notified of what it came to before it vanished, either.
        const auto* known = past_.find(*each.job);
        if (known && known->notified && *known->notified != each.last_state) catch_up(*known);
        vigils_.end(*each.job);
        conditions_.over(*each.job);
        notify(each.job, each.last_state, standing());
        announce(alerts_.moved(*each.job, standing()), each.job, standing());
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
    for (auto& each : alerts_.only(cluster, job_condition::gpus_idle, idle)) {
        const auto job = each.what.job;
        std::vector<ended_alert> one;
        one.push_back(std::move(each));
        announce(std::move(one), job, job_state::running);
    }
    for (const auto& each : jobs) hold(each.job, job_condition::gpus_idle, env_.wall_now() - each.since);
    time_changed_.notify_all();
}

void center::hold(std::shared_ptr<const job_view> job, job_condition which, kcontrol::duration lasted) {
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
    auto ended = alerts_.over(job, which);
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
        enqueue(*receivers_[each.receiver], std::move(n));
    }
}

void center::take(const change& of_cluster) {
    const auto& cluster = *of_cluster.cluster;
    if (of_cluster.type == change_type::cluster_removed) {
        unreadable_.erase(cluster.name);
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
        receiver& r = *receivers_[to.receiver];
        // Nobody need hear that it is back who was not yet told that it was away.
        const auto kept = std::find_if(quiet_.begin(), quiet_.end(), [&](const auto& each) {
            const notice& what = each.second.what;
            return each.second.to == &r && what.is_of_cluster() && what.thread == n.thread;
        });
        if (kept != quiet_.end()) {
            quiet_.erase(kept);
            continue;
        }
        tell(r, config_.cluster_rules[to.rule].manner, n);
    }
}

// What a rule says of its notices.
void center::tell(receiver& r, const rule_manner& how, notice n) {
    n.level = how.level;
    n.runbook = how.runbook;
    const auto now = env_.wall_now();
    const auto until = how.quiet ? quiet_until(*how.quiet, now) : std::nullopt;
    if (until) {
        quiet_.emplace(env_.now() + (*until - now), quiet_notice{&r, std::move(n)});
        time_changed_.notify_all();
        return;
    }
    if (n.lasted > kcontrol::duration::zero()) return enqueue(r, std::move(n));
    hand_over(r, std::move(n));
}

// Of what was kept back, what no longer is so is no news.
void center::end_quiet(kcontrol::time_point now) {
    while (!quiet_.empty() && quiet_.begin()->first <= now) {
        auto [to, what] = std::move(quiet_.begin()->second);
        quiet_.erase(quiet_.begin());
        what.seen = now;
        if (what.lasted > kcontrol::duration::zero()) {
            if (still_holds(what)) enqueue(*to, std::move(what));
        } else {
            hand_over(*to, std::move(what));
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
    tell(*receivers_[over.receiver], config_.rules[over.rule].manner, std::move(n));
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
    if (!config_.external_url.empty()) n.link = config_.external_url + page_of(*n.job);
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
        tell(*receivers_[each.receiver], config_.rules[each.rule].manner, n);
    }
}

void center::hand_over(receiver& r, notice n) {
    auto answer = r.again.push(std::move(n), env_.now());
    if (answer.covered) finish(*answer.covered);
    if (answer.now) enqueue(r, std::move(*answer.now));
}

void center::enqueue(receiver& r, notice n) {
    if (has_threads(r.config) && tone_of(n) != tone::bad && !n.resolved) alerts_.told(r.place, n);
    auto passed = r.groups.push(std::move(n), env_.now());
    if (passed) return queue_up(r, std::move(*passed));
    time_changed_.notify_all();
}

void center::queue_up(receiver& r, notice n) {
    if (auto dropped = r.queue.push(std::move(n))) bury(r, std::move(*dropped));
    r.wake.notify_all();
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

void center::bury(receiver& r, dead_notice n) {
    const std::string others = n.what.members.empty() ? "" : " and " + std::to_string(n.what.members.size()) + " more";
    dead_letter letter{
        r.config.name, job_text(*n.what.job) + others, std::string(n.what.to_text()), n.what.at, n.attempts, n.why};
    // Of those that a full queue drops one after another, the first.
    const bool is_new = n.attempts > 0 || !std::exchange(r.dropping, true);
    if (is_new) {
        log_.warning("a notice was not delivered", {{"receiver", letter.receiver},
                                                    {"job", letter.job},
                                                    {"state", letter.state},
                                                    {"attempts", std::to_string(letter.attempts)},
                                                    {"error", letter.error}});
    }
    if (dead_.size() == most_dead_letters) dead_.pop_front();
    dead_.push_back(std::move(letter));
    finish(n.what);
}

void center::record(receiver& r, const notice& tried, const delivery& how) {
    const bool sent = how.how == delivery::kind::sent;
    if (sent) {
        latency_.observe(env_.now() - tried.seen);
        if (r.failing) log_.info("notices arrive again", {{"receiver", r.config.name}});
    } else if (!r.failing) {
        log_.warning("a receiver of notices fails", {{"receiver", r.config.name}, {"error", how.why}});
    }
    r.failing = !sent;
    if (sent) r.dropping = false;
    if (sent && has_threads(r.config) && !tried.resolved) alerts_.told(r.place, tried);
    auto dead = r.queue.done(how, env_.now(), kcontrol::random_unit(env_));
    if (sent) finish(tried);
    if (dead) bury(r, std::move(*dead));
}

// Read once for all tries.
kcontrol::awaitable<void> center::add_log(receiver& r, notice& n, std::stop_token stop) {
    if (!read_log_ || r.config.log_lines == 0 || !is_of_failure(n)) co_return;
    if (r.log_of != n.id) {
        auto reading = read_log_(n.job, r.config.log_lines, std::move(stop));
        auto lines = co_await std::move(reading);
        r.log = std::move(lines);
        r.log_of = n.id;
    }
    n.log = r.log;
}

kcontrol::awaitable<void> center::serve(receiver& r, std::stop_token stop) {
    while (!stop.stop_requested()) {
        auto action = r.queue.next(env_.now());
        if (auto* now = std::get_if<notice_queue::try_now>(&action)) {
            co_await add_log(r, now->what, stop);
            auto how = co_await r.deliver.send(now->what, stop);
            if (stop.stop_requested() && how.how != delivery::kind::sent) break;
            record(r, now->what, how);
        } else if (auto* later = std::get_if<notice_queue::wait_until>(&action)) {
            const auto when = later->when;
            co_await sleep_until(env_, when, stop);
        } else {
            co_await r.wake.wait(env_, stop);
        }
    }
    const auto unsent = r.queue.size() + r.groups.held();
    if (unsent == 0) co_return;
    log_.warning("notices are left unsent", {{"receiver", r.config.name}, {"count", std::to_string(unsent)}});
}

std::optional<kcontrol::time_point> center::next_time() const {
    auto out = vigils_.next();
    if (const auto due = conditions_.next()) out = std::min(out.value_or(*due), *due);
    if (const auto due = clusters_.next()) out = std::min(out.value_or(*due), *due);
    if (!quiet_.empty()) out = std::min(out.value_or(quiet_.begin()->first), quiet_.begin()->first);
    for (const auto& r : receivers_) {
        if (const auto due = r->again.next()) out = std::min(out.value_or(*due), *due);
        if (const auto due = r->groups.next()) out = std::min(out.value_or(*due), *due);
    }
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
        for (const auto& r : receivers_) {
            for (auto& due : r->again.take(now)) {
                due.seen = now;  // a receiver's patience begins here
                enqueue(*r, std::move(due));
            }
            const auto latest = [this](const notice& n) {
                const auto* known = past_.find(*n.job);
                return known ? known->view : nullptr;
            };
            for (auto& due : r->groups.take(now, latest)) queue_up(*r, std::move(due));
        }
        const auto next = next_time();
        co_await time_changed_.wait(env_, stop, next);
    }
}

kcontrol::awaitable<void> center::run(std::stop_token stop) {
    kcontrol::task_group tasks(env_, ex_, log_);
    tasks.spawn(serve_time(stop));
    for (auto& r : receivers_) tasks.spawn(serve(*r, stop));
    co_await tasks.join();
}

std::string center::json() const {
    queue_counters sum;
    std::size_t queued = 0;
    for (const auto& r : receivers_) {
        const auto& c = r->queue.counters();
        queued += r->queue.size();
        sum.sent += c.sent;
        sum.failed += c.failed;
        sum.dropped += c.dropped;
        sum.coalesced += c.coalesced;
    }
    kcontrol::json::writer out;
    out.begin_object();
    out.member("queued", queued);
    out.member("sent", sum.sent);
    out.member("failed", sum.failed);
    out.member("dropped", sum.dropped);
    out.member("coalesced", sum.coalesced);
    begin_array(out, "deadLetters");
    for (const auto& letter : dead_) {
        out.begin_object();
        out.member("receiver", letter.receiver);
        out.member("job", letter.job);
        out.member("state", letter.state);
        out.member("at", kcontrol::format_time(letter.at));
        out.member("attempts", letter.attempts);
        out.member("error", letter.error);
        out.end_object();
    }
    out.end_array();
    out.end_object();
    return out.take();
}

}  // namespace training_monitor::notices

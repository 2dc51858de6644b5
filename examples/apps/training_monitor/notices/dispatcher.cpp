#include "notices/dispatcher.hpp"

#include <kcontrol/json/members.hpp>
#include <kcontrol/values/time.hpp>

#include "notices/message.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace training_monitor::notices {

dispatcher::dispatcher(kcontrol::environment& env, const kcontrol::executor& ex,
                       const std::vector<receiver_config>& receivers,
                       const kcontrol::http::transport_factory& transport, kcontrol::logger log, reports report)
    : env_(env), log_(std::move(log)), report_(std::move(report)) {
    for (const auto& each : receivers) {
        receivers_.push_back(std::make_unique<receiver>(each, receivers_.size(), sender(env_, ex, each, transport)));
    }
}

void dispatcher::hand_over(std::size_t place, notice n) {
    receiver& r = *receivers_[place];
    auto answer = r.again.push(std::move(n), env_.now());
    if (answer.covered) report_.finished(*answer.covered);
    if (answer.now) enqueue(place, std::move(*answer.now));
}

void dispatcher::enqueue(std::size_t place, notice n) {
    receiver& r = *receivers_[place];
    if (has_threads(r.config) && tone_of(n) != tone::bad && !n.resolved) alerts_.told(r.place, n);
    auto passed = r.groups.push(std::move(n), env_.now());
    if (passed) return queue_up(r, std::move(*passed));
    report_.time_changed();
}

void dispatcher::queue_up(receiver& r, notice n) {
    if (auto dropped = r.queue.push(std::move(n))) bury(r, std::move(*dropped));
    r.wake.notify_all();
}

void dispatcher::bury(receiver& r, dead_notice n) {
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
    report_.finished(n.what);
}

void dispatcher::record(receiver& r, const notice& tried, const delivery& how) {
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
    if (sent) report_.finished(tried);
    if (dead) bury(r, std::move(*dead));
}

// Read once for all tries.
kcontrol::awaitable<void> dispatcher::add_log(receiver& r, notice& n, std::stop_token stop) {
    if (!read_log_ || r.config.log_lines == 0 || !is_of_failure(n)) co_return;
    if (r.log_of != n.id) {
        auto reading = read_log_(n.job, r.config.log_lines, std::move(stop));
        auto lines = co_await std::move(reading);
        r.log = std::move(lines);
        r.log_of = n.id;
    }
    n.log = r.log;
}

kcontrol::awaitable<void> dispatcher::serve(receiver& r, std::stop_token stop) {
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

void dispatcher::on_alert(std::function<void(const kept_alert&)> keep) {
    alerts_.on_changed([this, keep = std::move(keep)](std::size_t place, const std::string& thread) {
        auto now = alerts_.kept(place, thread);
        now.receiver = receivers_[place]->config.name;
        now.reference = receivers_[place]->deliver.reference_of(thread);
        keep(now);
    });
}

bool dispatcher::restore(const kept_alert& told) {
    const auto to = std::find_if(receivers_.begin(), receivers_.end(),
                                 [&](const auto& each) { return each->config.name == told.receiver; });
    if (to == receivers_.end() || !has_threads((*to)->config)) return false;
    (*to)->deliver.restore_thread(told.what.thread, told.reference);
    alerts_.restore((*to)->place, told);
    return true;
}

std::optional<kcontrol::time_point> dispatcher::next_time() const {
    std::optional<kcontrol::time_point> out;
    for (const auto& r : receivers_) {
        if (const auto due = r->again.next()) out = std::min(out.value_or(*due), *due);
        if (const auto due = r->groups.next()) out = std::min(out.value_or(*due), *due);
    }
    return out;
}

void dispatcher::release_due(kcontrol::time_point now) {
    for (const auto& r : receivers_) {
        for (auto& due : r->again.take(now)) {
            due.seen = now;  // a receiver's patience begins here
            enqueue(r->place, std::move(due));
        }
        for (auto& due : r->groups.take(now, report_.latest)) queue_up(*r, std::move(due));
    }
}

void dispatcher::spawn(kcontrol::task_group& tasks, std::stop_token stop) {
    for (auto& r : receivers_) tasks.spawn(serve(*r, stop));
}

std::string dispatcher::json() const {
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

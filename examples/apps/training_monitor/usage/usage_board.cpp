#include "usage/usage_board.hpp"

#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/task_group.hpp>

#include "usage/ask_labeler.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

namespace training_monitor {
namespace {

using namespace std::chrono_literals;

constexpr auto look_around = 1s;
constexpr auto looked_for = 90s;        // a page that is open asks every 30 s
constexpr auto idle_pause = 5s;         // until a job runs
constexpr auto fleet_pause = 30s;       // of one that somebody looks at, however long --gpu-usage-interval is
constexpr auto forbidden_pause = 5min;  // where nobody said that the right is there
constexpr std::size_t most_clusters = 4, most_labelers = 8, most_nodes = 4096, most_reason = 256;

std::string reason_of(const kcontrol::error& why) {
    std::string out = kcontrol::escape_control(why.message());
    if (out.size() > most_reason) out.resize(most_reason);
    return out;
}

bool is_forbidden(const kcontrol::error& why) { return why.code() == kcontrol::api_errc::forbidden; }

std::set<std::string> nodes_of(const std::vector<job_to_measure>& jobs) {
    std::set<std::string> out;
    for (const auto& job : jobs) {
        for (const auto& pod : job.pods) {
            if (pod.phase == "Running" && pod.gpus > 0 && !pod.node.empty()) out.insert(pod.node);
        }
    }
    return out;
}

}  // namespace

usage_board::usage_board(kcontrol::environment& env, usage_options how, usage_sources from)
    : env_(env), how_(std::move(how)), from_(std::move(from)) {}

const job_usage* usage_board::find(const job_view& job) const {
    const auto in = known_.find(job.cluster);
    if (in == known_.end()) return nullptr;
    const auto at = in->second.jobs.find(key_of(job));
    if (at == in->second.jobs.end()) return nullptr;
    // Where nobody asked for it, nobody is told that it is not known: there may be no labelers at all.
    const bool known = at->second.usage.state != job_usage::state_type::unknown;
    return known || how_.is_asked_for() ? &at->second.usage : nullptr;
}

void usage_board::visit(const std::string& cluster,
                        const std::function<void(const std::shared_ptr<const job_view>&, const job_usage&)>& f) const {
    const auto in = known_.find(cluster);
    if (in == known_.end()) return;
    for (const auto& [key, one] : in->second.jobs) f(one.job, one.usage);
}

fleet_knowledge usage_board::look(const std::string& cluster) {
    if (!from_.client_of(cluster)) return {};
    entry& e = known_[cluster];
    if (!is_looked_at(e)) {
        e.due = env_.now();
        e.fleet.state = fleet_knowledge::state_type::loading;
        changed_.notify_all();
    }
    e.looked = env_.now();
    return e.fleet;
}

fleet_knowledge usage_board::known(const std::string& cluster) const {
    const auto at = known_.find(cluster);
    return at == known_.end() ? fleet_knowledge() : at->second.fleet;
}

bool usage_board::is_looked_at(const entry& e) const { return e.looked && env_.now() - *e.looked < looked_for; }

bool usage_board::lacks_right(const std::string& cluster) const {
    const auto at = known_.find(cluster);
    return at != known_.end() && at->second.fleet.state == fleet_knowledge::state_type::forbidden;
}

kcontrol::awaitable<void> usage_board::run(kcontrol::executor ex, std::stop_token stop) {
    kcontrol::task_group rounds(env_, ex);
    while (!stop.stop_requested()) {
        start_due(ex, stop, [&](kcontrol::awaitable<void> one) { rounds.spawn(std::move(one)); });
        co_await changed_.wait(env_, stop, env_.now() + look_around);
    }
    co_await rounds.join();
}

void usage_board::start_due(kcontrol::executor ex, std::stop_token stop,
                            const std::function<void(kcontrol::awaitable<void>)>& spawn) {
    if (running_ >= most_clusters) return;
    // Who has waited for the longest comes first, however many there are.
    std::multimap<kcontrol::time_point, std::string> due;
    for (auto& cluster : from_.clusters()) {
        const entry& e = known_[cluster];
        if (!e.asking && env_.now() >= e.due) due.emplace(e.due, std::move(cluster));
    }
    for (auto& [since, cluster] : due) {
        if (running_ >= most_clusters) return;
        known_[cluster].asking = true;
        ++running_;
        spawn(ask(ex, std::move(cluster), stop));
    }
}

kcontrol::awaitable<void> usage_board::ask(kcontrol::executor ex, std::string cluster, std::stop_token stop) {
    const auto jobs = from_.jobs(cluster);
    const auto used = nodes_of(jobs);
    const auto known = known_.find(cluster);
    const bool of_all = known != known_.end() && is_looked_at(known->second);
    auto done = std::make_shared<round>();
    if (const auto from = from_.client_of(cluster); from && (of_all || !used.empty())) {
        done->asked = true;
        const auto labelers = co_await find_labelers(*from, how_, stop);
        if (!labelers) done->refused = labelers.error();
        if (labelers) {
            for (const auto& [node, pod] : *labelers) {
                const bool wanted = of_all || used.contains(node);
                if (wanted && done->asks.size() < most_nodes) done->asks.emplace_back(node, pod);
            }
            co_await ask_all(ex, cluster, done, stop);
        }
    }
    if (!stop.stop_requested()) finish(cluster, jobs, of_all, *done);
    --running_;
    changed_.notify_all();
}

kcontrol::awaitable<void> usage_board::ask_all(kcontrol::executor ex, std::string cluster, std::shared_ptr<round> to,
                                               std::stop_token stop) {
    kcontrol::task_group asking(env_, ex);
    for (std::size_t i = 0; i < std::min(most_labelers, to->asks.size()); ++i) {
        if (auto from = from_.client_of(cluster)) asking.spawn(ask_some(std::move(*from), to, stop));
    }
    co_await asking.join();
}

kcontrol::awaitable<void> usage_board::ask_some(kcontrol::client from, std::shared_ptr<round> to,
                                                std::stop_token stop) {
    while (to->next < to->asks.size() && !to->refused && !stop.stop_requested()) {
        const auto [node, pod] = to->asks[to->next++];
        auto asking = ask_labeler(from, how_, pod, stop);
        auto said = co_await std::move(asking);
        node_answer& answer = to->answers[node];
        if (said) {
            answer.report = std::move(*said);
            continue;
        }
        answer.failure = "its GPU labeler does not answer: " + reason_of(said.error());
        if (is_forbidden(said.error())) to->refused = said.error();  // of the others, too
    }
}

kcontrol::duration usage_board::pause_after(const entry& e, const round& done) const {
    if (!done.asked) return std::min<kcontrol::duration>(how_.interval(), idle_pause);
    const bool forbidden = done.refused && is_forbidden(*done.refused);
    if (forbidden && !how_.is_asked_for()) return std::max<kcontrol::duration>(how_.interval(), forbidden_pause);
    return is_looked_at(e) ? std::min<kcontrol::duration>(how_.interval(), fleet_pause) : how_.interval();
}

// The cluster may have left meanwhile.
void usage_board::finish(const std::string& cluster, const std::vector<job_to_measure>& jobs, bool of_all,
                         round& done) {
    const auto at = known_.find(cluster);
    if (at == known_.end()) return;
    entry& e = at->second;
    e.asking = false;
    e.due = env_.now() + pause_after(e, done);
    if (is_looked_at(e) && !of_all) e.due = env_.now();  // somebody began to look after the nodes were chosen
    const auto now = env_.wall_now();
    std::map<job_key, measured_job> measured;
    for (const auto& one : jobs) {
        measured_job fresh{one.job, usage_of(one.pods, one.job->namespace_, done.answers, now)};
        if (done.refused) fresh.usage.reason = reason_of(*done.refused);
        const auto key = key_of(*one.job);
        const auto before = e.jobs.find(key);
        if (before != e.jobs.end()) carry_on(fresh.usage, before->second.usage, 6 * how_.interval());
        measured.emplace(key, std::move(fresh));
    }
    e.jobs = std::move(measured);
    using state_type = fleet_knowledge::state_type;
    if (done.refused) {
        e.fleet.state = is_forbidden(*done.refused) ? state_type::forbidden : state_type::failed;
        e.fleet.reason = reason_of(*done.refused);
    } else if (of_all) {
        e.fleet = {state_type::known, {}, std::make_shared<const node_answers>(std::move(done.answers)), now};
    } else if (!is_looked_at(e)) {
        e.fleet = {};
    }
    if (on_news_) on_news_(cluster);
}

}  // namespace training_monitor

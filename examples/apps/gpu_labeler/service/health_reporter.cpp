#include "service/health_reporter.hpp"

#include <kcontrol/values/time.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace gpu_labeler {
namespace {

// What an Event is about.
struct node_object {
    static constexpr kcontrol::resource_name kcontrol_resource{"", "v1", "Node", "nodes",
                                                               kcontrol::resource_scope::cluster};
    kcontrol::object_meta metadata;
    static constexpr auto kcontrol_fields() { return kcontrol::fields(); }
};

std::string text_of(kcontrol::wall_time at) {
    return kcontrol::format_time(std::chrono::floor<std::chrono::seconds>(at));
}

}  // namespace

health_reporter::health_reporter(kcontrol::environment& env, kcontrol::executor ex, kcontrol::client api,
                                 std::string node, kcontrol::logger log, health_patience patience)
    : env_(env),
      there_(api, node),
      events_(env, std::move(ex), api,
              kcontrol::event_recorder_options(std::string(health_field_manager)).instance(node), log),
      node_(std::move(node)),
      log_(std::move(log)),
      damper_(patience),
      pauses_(kcontrol::backoff_policy().initial(std::chrono::seconds(1)).cap(std::chrono::minutes(5))) {}

void health_reporter::change(health_patience patience) {
    damper_.change(patience);
    seen_.notify_all();
}

void health_reporter::take(const node_sample& sample) {
    auto verdict = judge_node(sample);
    if (!verdict) return;
    damper_.see(std::move(*verdict), env_.now());
    seen_.notify_all();
}

void health_reporter::node_renewed() {
    looked_ = false;
    seen_.notify_all();
}

kcontrol::awaitable<void> health_reporter::run(std::stop_token stop) {
    events_.start(stop);
    while (!stop.stop_requested()) {
        const auto now = env_.now();
        const bool may_ask = now >= not_before_;
        if (may_ask && !looked_ && damper_.has_seen()) {
            const bool there = co_await look(stop);
            if (there) continue;
        } else if (may_ask && looked_) {
            const auto due = damper_.due(now);
            if (due) {
                co_await tell(*due, stop);
                continue;
            }
        }
        auto until = damper_.next();
        if (until) until = std::max(*until, not_before_);
        if (!looked_ && damper_.has_seen()) until = not_before_;
        co_await seen_.wait(env_, stop, until);
    }
    co_await events_.stop(std::chrono::seconds(1));
}

kcontrol::awaitable<bool> health_reporter::look(std::stop_token stop) {
    auto there = co_await there_.look(stop);
    if (stop.stop_requested()) co_return false;
    if (!there) {
        failed(there.error());
        co_return false;
    }
    known_ = std::move(*there);
    looked_ = true;
    damper_.assume(known_.verdict);
    co_return true;
}

kcontrol::awaitable<void> health_reporter::tell(const node_verdict& verdict, std::stop_token stop) {
    const bool first = !known_.verdict;
    const bool turned = first || known_.verdict->health != verdict.health;
    const auto now = text_of(env_.wall_now());
    const std::string since = turned || known_.since.empty() ? now : known_.since;
    auto text = condition_text(verdict, since, now);
    const std::optional<node_verdict> wanted = verdict;
    const auto done = co_await there_.write(wanted, std::move(text), known_.uid, stop);
    if (!done && stop.stop_requested()) co_return;
    if (!done) {
        looked_ = false;  // the Node may be another one by now
        failed(done.error());
        co_return;
    }
    error_.clear();
    pauses_.reset();
    damper_.told(verdict, env_.now());
    if (turned) note(verdict, first);
    known_.since = since;
    known_.verdict = verdict;
}

void health_reporter::note(const node_verdict& verdict, bool first) {
    const bool well = verdict.health == node_health::ok;
    log_.info(
        "GPU health changed",
        {{"health", std::string(to_string(verdict.health))}, {"reason", verdict.reason}, {"message", verdict.message}});
    if (first && well) return;  // no news
    node_object about;
    about.metadata.name = node_;
    about.metadata.uid = known_.uid;
    if (well) {
        events_.normal(about, verdict.reason, verdict.message);
    } else {
        events_.warning(about, verdict.reason, verdict.message);
    }
}

void health_reporter::failed(const kcontrol::error& why) {
    if (why.message() != error_) log_.error("the health of the GPUs can't be told", {{"error", why.message()}});
    error_ = why.message();
    not_before_ = env_.now() + pauses_.next(env_.now(), kcontrol::random_unit(env_));
}

kcontrol::awaitable<kcontrol::result<void>> clear_health(kcontrol::client api, std::string node, std::stop_token stop) {
    node_condition there(std::move(api), std::move(node));
    const auto found = co_await there.look(stop);
    if (!found) co_return found.error();
    auto text = condition_text(std::nullopt, "", "");
    const std::optional<node_verdict> nothing;
    auto done = co_await there.write(nothing, std::move(text), found->uid, std::move(stop));
    co_return done;
}

}  // namespace gpu_labeler

#include "control/metric_looks.hpp"

#include <kcontrol/runtime/task_group.hpp>

namespace inference_autoscaler {

struct metric_looks::asking {
    metric_server server;
    std::vector<scaling_rule> rules;
    query_words words;
    std::stop_token stop;
    look out;
};

metric_looks::metric_looks(environment& env, executor ex, http::transport_factory connect, client cluster)
    : env_(env),
      ex_(ex),
      prometheus_(env, ex, connect),
      keys_(env, std::move(cluster)),
      scraper_(env, ex, std::move(connect)) {}

awaitable<look> metric_looks::read(inference_scaler scaler, std::vector<scaling_rule> rules, target_pods ready,
                                   std::stop_token stop) {
    if (scaler.spec.metrics.prometheus) {
        auto out = co_await by_prometheus(scaler, rules, ready, stop);
        co_return out;
    }
    auto out = co_await by_pods(scaler, rules, ready, stop);
    co_return out;
}

awaitable<void> metric_looks::ask_rule(std::shared_ptr<asking> at, std::size_t rule) {
    const scaling_rule& what = at->rules[rule];
    rule_reading& out = at->out.rules[rule];
    std::string query = fill_query(what.query, at->words);
    out.value = co_await prometheus_.ask(at->server, std::move(query), at->stop);
    const missing_reading* missing = out.value.missing();
    if (missing == nullptr || missing->reason != missing_reason::not_a_number || what.idle_query.empty()) co_return;
    std::string idle = fill_query(what.idle_query, at->words);
    out.idle = co_await prometheus_.ask(at->server, std::move(idle), at->stop);
}

awaitable<void> metric_looks::ask_wake(std::shared_ptr<asking> at, std::string query) {
    at->out.wake = co_await prometheus_.ask(at->server, std::move(query), at->stop);
}

awaitable<look> metric_looks::by_prometheus(inference_scaler scaler, std::vector<scaling_rule> rules, target_pods ready,
                                            std::stop_token stop) {
    const auto at = std::make_shared<asking>();
    at->out.at = env_.now();
    at->words.namespace_ = scaler.metadata.namespace_;
    at->words.name = scaler.spec.target.name;
    for (const auto& pod : ready) at->words.pods.push_back(pod->metadata.name);
    auto server = co_await keys_.read(*scaler.spec.metrics.prometheus, at->words.namespace_, stop);
    rule_reading unknown;
    unknown.value = missing_at(at->out.at, server ? missing_reason::empty : missing_reason::refused,
                               server ? std::string() : std::string(server.error().message()));
    at->out.rules.assign(rules.size(), unknown);
    const bool wakes = scaler.spec.zero && scaler.spec.zero->wake;
    if (wakes) at->out.wake = unknown.value;
    if (!server) co_return std::move(at->out);
    at->server = std::move(*server);
    at->rules = std::move(rules);
    at->stop = std::move(stop);
    task_group tasks(env_, ex_);
    for (std::size_t i = 0; i < at->rules.size() && !ready.empty(); ++i) tasks.spawn(ask_rule(at, i));
    if (wakes) tasks.spawn(ask_wake(at, fill_query(scaler.spec.zero->wake->query, at->words)));
    co_await tasks.join();
    co_return std::move(at->out);
}

awaitable<look> metric_looks::by_pods(inference_scaler scaler, std::vector<scaling_rule> rules, target_pods ready,
                                      std::stop_token stop) {
    const auto& in_flight = scaler.spec.down.in_flight;
    std::set<std::string, std::less<>> wanted;
    for (const scaling_rule& rule : rules) add_wanted(wanted, *rule.pods);
    if (in_flight) add_wanted(wanted, *in_flight);
    std::vector<pod_address> pods;
    for (const auto& pod : ready) {
        pod_address each;
        each.name = pod->metadata.name;
        each.ip = pod->status.pod_ip;
        pods.push_back(std::move(each));
    }
    auto said = co_await scraper_.look(*scaler.spec.metrics.pods, pods, wanted, stop);
    pods_said& before = before_[key_of(scaler.metadata)];
    look out;
    out.at = said.at;
    out.silent = said.silent;
    for (const scaling_rule& rule : rules) out.rules.push_back(value_of(*rule.pods, said, before));
    if (in_flight) out.in_flight = by_pod(*in_flight, said);
    if (in_flight && scaler.spec.zero) {
        double sum = 0;
        for (const auto& [pod, requests] : out.in_flight) sum += requests;
        const bool all = !ready.empty() && out.in_flight.size() == ready.size();
        out.wake = all ? reading{said.at, sum} : missing_at(said.at, missing_reason::no_answer);
    }
    before = std::move(said);
    co_return out;
}

}  // namespace inference_autoscaler

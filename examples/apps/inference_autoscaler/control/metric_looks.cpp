#include "control/metric_looks.hpp"

namespace inference_autoscaler {

metric_looks::metric_looks(manager& m, http::transport_factory connect)
    : env_(m.env()),
      prometheus_(m.env(), m.get_executor(), connect),
      keys_(m.env(), m.get_client()),
      scraper_(m.env(), m.get_executor(), connect) {}

awaitable<look> metric_looks::read(inference_scaler scaler, std::vector<scaling_rule> rules, target_pods ready,
                                   std::stop_token stop) {
    if (scaler.spec.metrics.prometheus) {
        auto out = co_await by_prometheus(scaler, rules, ready, stop);
        co_return out;
    }
    auto out = co_await by_pods(scaler, rules, ready, stop);
    co_return out;
}

awaitable<look> metric_looks::by_prometheus(inference_scaler scaler, std::vector<scaling_rule> rules, target_pods ready,
                                            std::stop_token stop) {
    look out;
    out.at = env_.now();
    query_words words;
    words.namespace_ = scaler.metadata.namespace_;
    words.name = scaler.spec.target.name;
    for (const auto& pod : ready) words.pods.push_back(pod->metadata.name);
    const auto server = co_await keys_.read(*scaler.spec.metrics.prometheus, words.namespace_, stop);
    const reading unknown = missing_at(out.at, server ? missing_reason::empty : missing_reason::refused,
                                       server ? std::string() : std::string(server.error().message()));
    for (const scaling_rule& rule : rules) {
        rule_reading each;
        each.value = unknown;
        if (server && !ready.empty()) {
            const std::string query = fill_query(rule.query, words);
            each.value = co_await prometheus_.ask(*server, query, stop);
            const missing_reading* missing = each.value.missing();
            if (missing != nullptr && missing->reason == missing_reason::not_a_number && !rule.idle_query.empty()) {
                const std::string idle = fill_query(rule.idle_query, words);
                each.idle = co_await prometheus_.ask(*server, idle, stop);
            }
        }
        out.rules.push_back(std::move(each));
    }
    if (!scaler.spec.zero || !scaler.spec.zero->wake) co_return out;
    out.wake = unknown;
    if (!server) co_return out;
    const std::string query = fill_query(scaler.spec.zero->wake->query, words);
    out.wake = co_await prometheus_.ask(*server, query, stop);
    co_return out;
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

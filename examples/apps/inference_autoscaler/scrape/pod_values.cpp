#include "scrape/pod_values.hpp"

#include "readings/near_names.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

namespace inference_autoscaler {
namespace {

constexpr double quantile = 0.95;

bool selects(const pod_metric& what, const metric_sample& sample) {
    return std::all_of(what.labels.begin(), what.labels.end(), [&](const auto& wanted) {
        const auto found = sample.labels.find(std::string(wanted.first.view()));
        return found != sample.labels.end() && found->second == wanted.second.view();
    });
}

std::vector<double> series_of(const pod_metric& what, std::string_view name,
                              const std::vector<metric_sample>& samples) {
    std::vector<double> out;
    for (const auto& each : samples) {
        if (each.name == name && selects(what, each)) out.push_back(each.value);
    }
    return out;
}

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

std::optional<double> value_in(const pod_metric& what, const std::vector<metric_sample>& samples) {
    const auto values = series_of(what, what.metric.view(), samples);
    if (values.empty()) return std::nullopt;
    const double sum = sum_of(values);
    if (!what.over.empty()) {
        double all = 0;
        for (const auto& each : what.over) all += sum_of(series_of(what, each.view(), samples));
        return sum / all;  // NaN, or an infinity, of nothing
    }
    if (what.of == "Max") return *std::max_element(values.begin(), values.end());
    return what.of == "Mean" ? sum / static_cast<double>(values.size()) : sum;
}

using buckets = std::map<double, double>;                                  // observations up to that bound
using histograms = std::map<std::map<std::string, std::string>, buckets>;  // by the labels without le

histograms histograms_of(const pod_metric& what, const std::vector<metric_sample>& samples) {
    histograms out;
    for (const auto& each : samples) {
        const auto bound = each.labels.find("le");
        if (each.name != what.metric.str() + "_bucket" || bound == each.labels.end() || !selects(what, each)) continue;
        std::string_view text = bound->second;
        if (text.starts_with('+')) text.remove_prefix(1);
        double le = 0;
        const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), le);
        if (failed != std::errc() || end != text.data() + text.size() || std::isnan(le)) continue;
        auto rest = each.labels;
        rest.erase("le");
        out[std::move(rest)][le] += each.value;
    }
    return out;
}

void add_difference(buckets& to, const buckets& now, const buckets& before) {
    const bool restarted = std::any_of(before.begin(), before.end(), [&](const auto& each) {
        const auto found = now.find(each.first);
        return found == now.end() || found->second < each.second;
    });
    for (const auto& [bound, count] : now) {
        const auto earlier = before.find(bound);
        to[bound] += restarted || earlier == before.end() ? count : count - earlier->second;
    }
}

// As PromQL's histogram_quantile(): linear within a bucket; above the largest finite bound, that bound.
double quantile_of(const buckets& cumulated) {
    const double total = cumulated.rbegin()->second, rank = quantile * total;
    double below = 0, lower = cumulated.begin()->first > 0 ? 0 : cumulated.begin()->first, most = 0;
    for (const auto& [bound, count] : cumulated) {
        most = std::max(most, count);  // buckets of several layouts need not rise
        if (most >= rank) return std::isinf(bound) ? lower : lower + (bound - lower) * (rank - below) / (most - below);
        below = most;
        lower = bound;
    }
    return lower;
}

rule_reading missing_rule(const pods_said& now, missing_reason reason, std::string words) {
    return {missing_at(now.at, reason, std::move(words)), std::nullopt};
}

rule_reading p95_of(const pod_metric& what, const pods_said& now, const pods_said& before) {
    buckets all;
    bool found = false;
    for (const auto& [pod, samples] : now.pods) {
        const auto earlier = before.pods.find(pod);
        const auto was = earlier == before.pods.end() ? histograms() : histograms_of(what, earlier->second);
        for (const auto& [labels, counts] : histograms_of(what, samples)) {
            found = true;
            if (earlier == before.pods.end()) continue;
            const auto base = was.find(labels);
            add_difference(all, counts, base == was.end() ? buckets() : base->second);
        }
    }
    const std::string metric = what.metric.str();
    if (!found) return missing_rule(now, missing_reason::empty, "no pod has the histogram " + metric);
    if (all.empty()) return missing_rule(now, missing_reason::empty, "a P95 needs a second look at " + metric);
    const double total = all.rbegin()->second;
    if (!std::isinf(all.rbegin()->first) || !std::isfinite(total)) {
        return missing_rule(now, missing_reason::not_a_number, metric + " has no bucket le=\"+Inf\" with a count");
    }
    const double value = total > 0 ? quantile_of(all) : 0;
    if (!std::isfinite(value)) return missing_rule(now, missing_reason::not_a_number, metric + " has no finite bounds");
    if (total > 0) return {reading{now.at, value}, std::nullopt};
    return {missing_at(now.at, missing_reason::not_a_number, "nothing was observed since the last look"),
            reading{now.at, 0.0}};
}

}  // namespace

void add_wanted(std::set<std::string, std::less<>>& to, const pod_metric& what) {
    to.insert(what.metric.str() + (what.of == "P95" ? "_bucket" : ""));
    for (const auto& each : what.over) to.insert(each.str());
}

std::map<std::string, double> by_pod(const pod_metric& what, const pods_said& now) {
    std::map<std::string, double> out;
    for (const auto& [pod, samples] : now.pods) {
        if (const auto value = value_in(what, samples); value && std::isfinite(*value)) out[pod] = *value;
    }
    return out;
}

rule_reading value_of(const pod_metric& what, const pods_said& now, const pods_said& before) {
    if (now.pods.empty() && now.silent.empty())
        return missing_rule(now, missing_reason::empty, "there is no ready pod");
    if (now.pods.empty()) return missing_rule(now, now.why.reason, now.why.words);
    rule_reading out;
    if (what.of == "P95") {
        out = p95_of(what, now, before);
    } else {
        std::vector<double> values;
        for (const auto& [pod, samples] : now.pods) {
            if (const auto value = value_in(what, samples)) values.push_back(*value);
        }
        if (values.empty()) {
            out = missing_rule(now, missing_reason::empty, "no pod has the metric " + what.metric.str());
        } else {
            double value = sum_of(values);
            if (what.of == "Mean") value /= static_cast<double>(values.size());
            if (what.of == "Max") value = *std::max_element(values.begin(), values.end());
            if (std::isfinite(value)) return {reading{now.at, value}, std::nullopt};
            out = missing_rule(now, missing_reason::not_a_number, what.metric.str() + " is " + std::to_string(value));
        }
    }
    const auto* missing = out.value.missing();
    const std::string name = what.metric.str() + (what.of == "P95" ? "_bucket" : "");
    const bool unknown = std::find(now.names.begin(), now.names.end(), name) == now.names.end();
    if (missing != nullptr && missing->reason == missing_reason::empty && unknown && !now.names.empty())
        out.value = missing_at(now.at, missing_reason::never_seen, never_seen_words(name, now.names));
    return out;
}

}  // namespace inference_autoscaler

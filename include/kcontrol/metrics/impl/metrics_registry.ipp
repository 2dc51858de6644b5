#pragma once

#include <kcontrol/base/thrown.hpp>
#include <kcontrol/metrics/exposition.hpp>
#include <kcontrol/metrics/metrics_registry.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <map>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <utility>

namespace kcontrol {

struct metrics_registry::impl {
    explicit impl(logger l) : log(std::move(l)) {}

    // prometheus-cpp throws on names and labels that are not allowed.
    template <class Make>
    void* guarded(const std::string& name, Make make) {
        try {
            return make();
        } catch (const std::exception& e) {
            log.error("a metric could not be registered", {{"metric", name}, {"error", e.what()}});
            return nullptr;
        }
    }

    // There is no clock here, and whoever asks for the text makes it happen: so ever more of it is told at once.
    void call(const std::function<void(metrics_writer&)>& collector, metrics_writer& out) {
        try {
            collector(out);
        } catch (...) {
            if (++thrown < next_told) return;
            next_told *= 10;
            log.error("a function of the program threw", {{"function", "a collector of metrics"},
                                                          {"error", describe_thrown()},
                                                          {"times", std::to_string(thrown)}});
        }
    }

    logger log;
    std::uint64_t thrown = 0, next_told = 1;  // of collectors
    prometheus::Registry registry;
    std::vector<std::function<void(metrics_writer&)>> collectors;
};

namespace detail {

// The registry is prometheus-cpp's; the text is ours, as its own would pass on what is not UTF-8.
class metric_families final : public metrics_writer {
public:
    explicit metric_families(std::vector<prometheus::MetricFamily> present) {
        for (auto& family : present) {
            std::string name = family.name;
            families_.emplace(std::move(name), std::move(family));
        }
    }

    void counter(const std::string& name, const std::string& help, const metric_labels& labels, double value) override {
        add(name, help, labels, prometheus::MetricType::Counter).counter.value = value;
    }
    void gauge(const std::string& name, const std::string& help, const metric_labels& labels, double value) override {
        add(name, help, labels, prometheus::MetricType::Gauge).gauge.value = value;
    }
    void histogram(const std::string& name, const std::string& help, const metric_labels& labels,
                   const std::vector<double>& bounds, const std::vector<std::uint64_t>& counts, double sum) override {
        auto& into = add(name, help, labels, prometheus::MetricType::Histogram).histogram;
        into.sample_sum = sum;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            into.sample_count += counts[i];
            if (i >= bounds.size()) continue;
            into.bucket.push_back({into.sample_count, bounds[i]});
        }
    }

    std::string text() && {
        exposition out;
        for (auto& [name, family] : families_) {
            std::sort(family.metric.begin(), family.metric.end(),
                      [](const auto& a, const auto& b) { return a.label < b.label; });
            out.family(name, type_name(family.type), family.help);
            for (const auto& metric : family.metric) write(out, family.type, metric);
        }
        return out.take();
    }

private:
    prometheus::ClientMetric& add(const std::string& name, const std::string& help, const metric_labels& labels,
                                  prometheus::MetricType type) {
        auto& family = families_[name];
        family.name = name;
        family.help = help;
        family.type = type;
        auto& metric = family.metric.emplace_back();
        for (const auto& [label, value] : labels) metric.label.push_back({label, value});
        return metric;
    }

    static std::string_view type_name(prometheus::MetricType type) noexcept {
        switch (type) {
        case prometheus::MetricType::Counter: return "counter";
        case prometheus::MetricType::Gauge: return "gauge";
        case prometheus::MetricType::Histogram: return "histogram";
        default: return "untyped";  // nobody makes one
        }
    }

    static void write(exposition& out, prometheus::MetricType type, const prometheus::ClientMetric& metric) {
        std::vector<exposition::label> labels;
        for (const auto& one : metric.label) labels.emplace_back(one.name, one.value);
        if (type == prometheus::MetricType::Counter) return out.sample(labels, metric.counter.value);
        if (type == prometheus::MetricType::Gauge) return out.sample(labels, metric.gauge.value);
        std::vector<double> bounds;
        std::vector<std::uint64_t> counts;
        std::uint64_t before = 0;
        for (const auto& bucket : metric.histogram.bucket) {
            if (std::isinf(bucket.upper_bound)) continue;
            bounds.push_back(bucket.upper_bound);
            counts.push_back(bucket.cumulative_count - std::exchange(before, bucket.cumulative_count));
        }
        counts.push_back(metric.histogram.sample_count - before);
        out.sample(labels, bounds, counts, metric.histogram.sample_sum);
    }

    std::map<std::string, prometheus::MetricFamily> families_;
};

}  // namespace detail

KCONTROL_DECL void metric_counter::increment(double by) const {
    if (target_ != nullptr) static_cast<prometheus::Counter*>(target_)->Increment(by);
}

KCONTROL_DECL void metric_gauge::set(double value) const {
    if (target_ != nullptr) static_cast<prometheus::Gauge*>(target_)->Set(value);
}

KCONTROL_DECL void metric_gauge::add(double difference) const {
    if (target_ != nullptr) static_cast<prometheus::Gauge*>(target_)->Increment(difference);
}

KCONTROL_DECL void metric_histogram::observe(double value) const {
    if (target_ != nullptr) static_cast<prometheus::Histogram*>(target_)->Observe(value);
}

KCONTROL_DECL metrics_registry::metrics_registry(logger log) : impl_(std::make_shared<impl>(std::move(log))) {}

KCONTROL_DECL metric_counter metrics_registry::counter(const std::string& name, const std::string& help,
                                                       const metric_labels& labels) {
    metric_counter out;
    out.registry_ = impl_;
    out.target_ = impl_->guarded(
        name, [&] { return &prometheus::BuildCounter().Name(name).Help(help).Register(impl_->registry).Add(labels); });
    return out;
}

KCONTROL_DECL metric_gauge metrics_registry::gauge(const std::string& name, const std::string& help,
                                                   const metric_labels& labels) {
    metric_gauge out;
    out.registry_ = impl_;
    out.target_ = impl_->guarded(
        name, [&] { return &prometheus::BuildGauge().Name(name).Help(help).Register(impl_->registry).Add(labels); });
    return out;
}

KCONTROL_DECL metric_histogram metrics_registry::histogram(const std::string& name, const std::string& help,
                                                           std::vector<double> bounds, const metric_labels& labels) {
    metric_histogram out;
    out.registry_ = impl_;
    out.target_ = impl_->guarded(name, [&] {
        auto& family = prometheus::BuildHistogram().Name(name).Help(help).Register(impl_->registry);
        return &family.Add(labels, std::move(bounds));
    });
    return out;
}

KCONTROL_DECL void metrics_registry::collect(std::function<void(metrics_writer&)> collector) {
    impl_->collectors.push_back(std::move(collector));
}

KCONTROL_DECL std::string metrics_registry::text() const {
    detail::metric_families all(impl_->registry.Collect());
    for (const auto& collector : impl_->collectors) impl_->call(collector, all);
    if (impl_->thrown > 0) {
        all.counter("kcontrol_metrics_collector_exceptions_total", "Total number of collectors of metrics that threw",
                    {}, static_cast<double>(impl_->thrown));
    }
    return std::move(all).text();
}

}  // namespace kcontrol

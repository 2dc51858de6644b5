// What a registry's handles point to: metrics of prometheus-cpp, whose registry knows Prometheus' rules for names and
// labels.
#pragma once

#ifndef KCONTROL_WITHOUT_PROMETHEUS

#include <kcontrol/metrics/metrics_writer.hpp>

#include <cmath>
#include <cstdint>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// Each make_…() throws where a name, a label or a type is not allowed.
class kept_metrics {
public:
    /// Why none is kept; null where they are.
    static constexpr const char* missing = nullptr;

    void* make_counter(const std::string& name, const std::string& help, const metric_labels& labels) {
        return &prometheus::BuildCounter().Name(name).Help(help).Register(registry_).Add(labels);
    }
    void* make_gauge(const std::string& name, const std::string& help, const metric_labels& labels) {
        return &prometheus::BuildGauge().Name(name).Help(help).Register(registry_).Add(labels);
    }
    void* make_histogram(const std::string& name, const std::string& help, std::vector<double> bounds,
                         const metric_labels& labels) {
        auto& family = prometheus::BuildHistogram().Name(name).Help(help).Register(registry_);
        return &family.Add(labels, std::move(bounds));
    }

    static void increment(void* counter, double by) { static_cast<prometheus::Counter*>(counter)->Increment(by); }
    static void set(void* gauge, double value) { static_cast<prometheus::Gauge*>(gauge)->Set(value); }
    static void add(void* gauge, double difference) { static_cast<prometheus::Gauge*>(gauge)->Increment(difference); }
    static void observe(void* histogram, double value) {
        static_cast<prometheus::Histogram*>(histogram)->Observe(value);
    }

    /// The text is not prometheus-cpp's: its own would pass on what is not UTF-8.
    void write(metrics_writer& out) const {
        for (const auto& family : registry_.Collect()) {
            for (const auto& metric : family.metric) write(out, family, metric);
        }
    }

private:
    static void write(metrics_writer& out, const prometheus::MetricFamily& family,
                      const prometheus::ClientMetric& metric) {
        metric_labels labels;
        for (const auto& one : metric.label) labels.emplace(one.name, one.value);
        switch (family.type) {
        case prometheus::MetricType::Counter:
            return out.counter(family.name, family.help, labels, metric.counter.value);
        case prometheus::MetricType::Gauge: return out.gauge(family.name, family.help, labels, metric.gauge.value);
        default: break;  // a histogram: nobody makes others
        }
        std::vector<double> bounds;
        std::vector<std::uint64_t> counts;
        std::uint64_t before = 0;
        for (const auto& bucket : metric.histogram.bucket) {
            if (std::isinf(bucket.upper_bound)) continue;
            bounds.push_back(bucket.upper_bound);
            counts.push_back(bucket.cumulative_count - std::exchange(before, bucket.cumulative_count));
        }
        counts.push_back(metric.histogram.sample_count - before);
        out.histogram(family.name, family.help, labels, bounds, counts, metric.histogram.sample_sum);
    }

    prometheus::Registry registry_;
};

}  // namespace kcontrol::detail

#else

#include <kcontrol/metrics/metrics_writer.hpp>

#include <string>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// Keeps no metric. What collectors write is there all the same.
class kept_metrics {
public:
    static constexpr const char* missing =
        "this kcontrol was built without prometheus-cpp (KCONTROL_WITH_PROMETHEUS=OFF)";

    void* make_counter(const std::string&, const std::string&, const metric_labels&) { return nullptr; }
    void* make_gauge(const std::string&, const std::string&, const metric_labels&) { return nullptr; }
    void* make_histogram(const std::string&, const std::string&, const std::vector<double>&, const metric_labels&) {
        return nullptr;
    }

    static void increment(void*, double) {}
    static void set(void*, double) {}
    static void add(void*, double) {}
    static void observe(void*, double) {}

    void write(metrics_writer&) const {}
};

}  // namespace kcontrol::detail

#endif

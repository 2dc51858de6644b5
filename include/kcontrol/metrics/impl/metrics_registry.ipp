#pragma once

#include <kcontrol/base/thrown.hpp>
#include <kcontrol/metrics/impl/kept_metrics.hpp>
#include <kcontrol/metrics/impl/metric_families.hpp>
#include <kcontrol/metrics/metrics_registry.hpp>

#include <cstdint>
#include <exception>
#include <utility>

namespace kcontrol::inline v0_1 {

struct metrics_registry::impl {
    explicit impl(logger l) : log(std::move(l)) {
        if constexpr (detail::kept_metrics::missing != nullptr) {
            log.warning("counters, gauges and histograms are not kept", {{"reason", detail::kept_metrics::missing}});
        }
    }

    // What is not allowed is thrown.
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
    detail::kept_metrics kept;
    std::vector<std::function<void(metrics_writer&)>> collectors;
};

KCONTROL_DECL void metric_counter::increment(double by) const {
    if (target_ != nullptr) detail::kept_metrics::increment(target_, by);
}

KCONTROL_DECL void metric_gauge::set(double value) const {
    if (target_ != nullptr) detail::kept_metrics::set(target_, value);
}

KCONTROL_DECL void metric_gauge::add(double difference) const {
    if (target_ != nullptr) detail::kept_metrics::add(target_, difference);
}

KCONTROL_DECL void metric_histogram::observe(double value) const {
    if (target_ != nullptr) detail::kept_metrics::observe(target_, value);
}

KCONTROL_DECL metrics_registry::metrics_registry(logger log) : impl_(std::make_shared<impl>(std::move(log))) {}

KCONTROL_DECL metric_counter metrics_registry::counter(const std::string& name, const std::string& help,
                                                       const metric_labels& labels) {
    metric_counter out;
    out.registry_ = impl_;
    out.target_ = impl_->guarded(name, [&] { return impl_->kept.make_counter(name, help, labels); });
    return out;
}

KCONTROL_DECL metric_gauge metrics_registry::gauge(const std::string& name, const std::string& help,
                                                   const metric_labels& labels) {
    metric_gauge out;
    out.registry_ = impl_;
    out.target_ = impl_->guarded(name, [&] { return impl_->kept.make_gauge(name, help, labels); });
    return out;
}

KCONTROL_DECL metric_histogram metrics_registry::histogram(const std::string& name, const std::string& help,
                                                           std::vector<double> bounds, const metric_labels& labels) {
    metric_histogram out;
    out.registry_ = impl_;
    out.target_ =
        impl_->guarded(name, [&] { return impl_->kept.make_histogram(name, help, std::move(bounds), labels); });
    return out;
}

KCONTROL_DECL void metrics_registry::collect(std::function<void(metrics_writer&)> collector) {
    impl_->collectors.push_back(std::move(collector));
}

KCONTROL_DECL std::string metrics_registry::text() const {
    detail::metric_families all;
    impl_->kept.write(all);
    for (const auto& collector : impl_->collectors) impl_->call(collector, all);
    if (impl_->thrown > 0) {
        all.counter("kcontrol_metrics_collector_exceptions_total", "Total number of collectors of metrics that threw",
                    {}, static_cast<double>(impl_->thrown));
    }
    return std::move(all).text();
}

}  // namespace kcontrol

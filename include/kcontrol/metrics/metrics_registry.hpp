// Metrics: counters, gauges and histograms of one manager or program, and their text in Prometheus' format.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/metrics/metrics_writer.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1 {

/// Counts up. A handle: copies are the same counter. Default-constructed it counts nowhere.
class metric_counter {
public:
    metric_counter() = default;
    KCONTROL_DECL void increment(double by = 1.0) const;  ///< below zero: changes nothing

private:
    friend class metrics_registry;
    std::shared_ptr<void> registry_;  // keeps target_ alive
    void* target_ = nullptr;
};

/// A value that goes up and down. A handle, as metric_counter.
class metric_gauge {
public:
    metric_gauge() = default;
    KCONTROL_DECL void set(double value) const;       ///< in place of what was there
    KCONTROL_DECL void add(double difference) const;  ///< may be below zero

private:
    friend class metrics_registry;
    std::shared_ptr<void> registry_;
    void* target_ = nullptr;
};

/// Counts observations in buckets. A handle, as metric_counter.
class metric_histogram {
public:
    metric_histogram() = default;
    KCONTROL_DECL void observe(double value) const;  ///< in the unit of the bounds; of time in seconds, by custom

private:
    friend class metrics_registry;
    std::shared_ptr<void> registry_;
    void* target_ = nullptr;
};

/// The metrics of one manager or program. There is no global registry. A name or label that Prometheus does not allow,
/// or a name that stands for a metric of another type already, is logged and gives a handle that counts nowhere.
///
/// Thread-safety: handles: shared objects safe. The registry: collect() and text() belong to one strand.
/// Object lifetime: handles may outlive the registry.
class metrics_registry {
public:
    KCONTROL_DECL explicit metrics_registry(logger log = {});  ///< `log` hears of what is refused and of what throws

    /// The metric of that name and labels; the same one if it is asked for again.
    KCONTROL_DECL metric_counter counter(const std::string& name, const std::string& help,
                                         const metric_labels& labels = {});
    /// The same for a value that goes up and down.
    KCONTROL_DECL metric_gauge gauge(const std::string& name, const std::string& help,
                                     const metric_labels& labels = {});
    /// `bounds`: upper bounds of the buckets, ascending; +Inf is implied.
    KCONTROL_DECL metric_histogram histogram(const std::string& name, const std::string& help,
                                             std::vector<double> bounds, const metric_labels& labels = {});

    /// `collector` is called each time the text is asked for. What it writes under a name that stands for a metric of
    /// another type already, in this text, is left out. If it throws, what it has written so far and the rest of the
    /// text are as ever; it is logged, the first time and then the tenth, hundredth…, and counted in
    /// kcontrol_metrics_collector_exceptions_total, which is there once one threw.
    KCONTROL_DECL void collect(std::function<void(metrics_writer&)> collector);

    /// Everything in Prometheus' text format (exposition.hpp), families by name and series by labels. The content type
    /// is metrics_content_type.
    KCONTROL_DECL std::string text() const;

private:
    struct impl;
    std::shared_ptr<impl> impl_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/metrics/impl/metrics_registry.ipp>
#endif

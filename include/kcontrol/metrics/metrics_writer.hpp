// What a collector of metrics writes to.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1 {

using metric_labels = std::map<std::string, std::string>;

/// Takes the values of somebody who keeps them anyway, at the time of the question.
class metrics_writer {
public:
    virtual ~metrics_writer() = default;
    /// A value that only grows, of the series with these labels. The name ends in _total, by custom.
    virtual void counter(const std::string& name, const std::string& help, const metric_labels& labels,
                         double value) = 0;
    /// A value that goes up and down.
    virtual void gauge(const std::string& name, const std::string& help, const metric_labels& labels, double value) = 0;
    /// `counts` has one more element than `bounds`, and is not cumulative.
    virtual void histogram(const std::string& name, const std::string& help, const metric_labels& labels,
                           const std::vector<double>& bounds, const std::vector<std::uint64_t>& counts, double sum) = 0;
};

}  // namespace kcontrol

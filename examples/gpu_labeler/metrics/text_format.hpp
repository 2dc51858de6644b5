// Prometheus' text format, version 0.0.4.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpu_labeler {

/// Labels in the order in which they are written.
using metric_labels = std::vector<std::pair<std::string_view, std::string>>;

/// Writes metrics; a metric's HELP and TYPE come with its first series.
class text_format {
public:
    /// What the following series belong to; the texts outlive the call of add.
    void metric(std::string_view name, std::string_view type, std::string_view help);
    void add(const metric_labels& labels, double value);

    const std::string& text() const noexcept { return text_; }

private:
    std::string text_;
    std::string_view name_;
    std::string_view type_;
    std::string_view help_;
    bool begun_ = false;
};

}  // namespace gpu_labeler

// Reads Prometheus' text format, as far as some metrics need it. Pure.
// Source: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
#pragma once

#include <kcontrol/base/result.hpp>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace inference_autoscaler {

struct metric_sample {
    std::string name;
    std::map<std::string, std::string> labels;
    double value = 0;  ///< NaN and infinities are values here

    friend bool operator==(const metric_sample&, const metric_sample&) = default;
};

struct metrics_text {
    std::vector<metric_sample> samples;  ///< of the wanted metrics, in order of appearance
    std::vector<std::string> names;      ///< of all metrics
};

/// Reads the samples of the metrics in `wanted`. Timestamps are ignored. Errors: decode_failed with the line's number
/// for what is no sample, also in lines of other metrics.
kcontrol::result<metrics_text> read_metrics(std::string_view text, const std::set<std::string, std::less<>>& wanted);

}  // namespace inference_autoscaler

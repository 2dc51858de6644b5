// One value of what pods' metrics said: a sum, mean, maximum or quantile. Pure functions.
#pragma once

#include "api/metrics.hpp"
#include "readings/reading.hpp"
#include "scrape/text_format.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace inference_autoscaler {

/// What the pods of one target said at one look.
struct pods_said {
    kcontrol::time_point at{};
    std::map<std::string, std::vector<metric_sample>> pods;  ///< by the pod's name
    std::vector<std::string> silent;                         ///< pods that were asked and gave no metrics
    missing_reading why;                                     ///< of the first of them
    std::vector<std::string> names;                          ///< of all metrics of one pod
};

/// Adds the names of the samples that value_of() and by_pod() need.
void add_wanted(std::set<std::string, std::less<>>& to, const pod_metric& what);

/// Sum, Mean and Max are over pods: a pod's value is the sum of its series with these labels for Sum, their mean for
/// Mean, the largest for Max; with `over` it is their sum over the sum of those metrics. P95 is that of a histogram's
/// observations between the look `before` and `now`, as histogram_quantile() computes it: a series whose count fell
/// began again at zero, a pod that is new or gone adds nothing. Where nothing was observed the value is missing (NaN),
/// and `idle` is 0.
///
/// Missing: the reason of the silence if no pod answered; empty (never_seen, with near names, for a metric that no pod
/// has) without a series or, for P95, without an earlier look; not_a_number.
rule_reading value_of(const pod_metric& what, const pods_said& now, const pods_said& before);

/// Each pod's value, such as its requests in flight; a pod without one is not in it.
std::map<std::string, double> by_pod(const pod_metric& what, const pods_said& now);

}  // namespace inference_autoscaler

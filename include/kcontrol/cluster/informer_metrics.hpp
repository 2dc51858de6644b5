// What informers have done and where they stand, as metrics.
#pragma once

#include <kcontrol/cluster/informer_report.hpp>
#include <kcontrol/metrics/metrics_writer.hpp>

#include <string>
#include <vector>

namespace kcontrol::inline v0_1 {

/// Writes the families kcontrol_informer_…, with the labels cluster, kind, api_version and namespace (empty: all), and
/// for the state a series of 0 or 1 each. Informers of one kind and namespace are one: the worst state, the sums of the
/// counts. `cluster` is empty for a manager's own; `now` is what the age of the last event is reckoned from.
KCONTROL_DECL void write_informer_metrics(metrics_writer& out, const std::string& cluster,
                                          const std::vector<informer_report>& all, wall_time now);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cluster/impl/informer_metrics.ipp>
#endif

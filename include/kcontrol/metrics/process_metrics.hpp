// What the system says of this process, for metrics.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/metrics/metrics_writer.hpp>
#include <kcontrol/runtime/environment.hpp>

namespace kcontrol::inline v0_1 {

/// The families process_… of Prometheus' client for Go (client_golang), with its types, and process_threads, which
/// other clients of Prometheus have. docs/metrics.md lists them. What the system does not report is absent. Linux only
/// (proc(5)); elsewhere it writes nothing.
///
/// Reads some small files each time. A manager calls it for its own metrics; two calls for one text give each family
/// twice.
KCONTROL_DECL void write_process_metrics(metrics_writer& out, environment& env);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/metrics/impl/process_metrics.ipp>
#endif

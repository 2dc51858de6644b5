#include <kcontrol/metrics/impl/exposition.ipp>
#include <kcontrol/metrics/impl/histogram.ipp>
#include <kcontrol/metrics/impl/process_metrics.ipp>

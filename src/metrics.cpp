#include <kcontrol/metrics/impl/exposition.ipp>
#include <kcontrol/metrics/impl/histogram.ipp>
#include <kcontrol/metrics/impl/metrics_registry.ipp>

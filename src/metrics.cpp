#include <kcontrol/metrics/impl/exposition.ipp>
#include <kcontrol/metrics/impl/histogram.ipp>

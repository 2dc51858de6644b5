// Apart from metrics.cpp because of prometheus-cpp: programs that only write the text do not link it.
#include <kcontrol/metrics/impl/metrics_registry.ipp>

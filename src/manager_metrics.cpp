// Apart from manager.cpp because of prometheus-cpp's headers.
#include <kcontrol/manager/impl/metrics.ipp>

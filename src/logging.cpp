#include <kcontrol/logging/impl/log_levels.ipp>
#include <kcontrol/logging/impl/log_sink.ipp>

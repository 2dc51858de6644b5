#include <kcontrol/logging/impl/log_sink.ipp>

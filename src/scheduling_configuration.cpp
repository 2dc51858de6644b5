#include <kcontrol/scheduling/impl/configuration.ipp>
#include <kcontrol/scheduling/impl/configuration_part.ipp>
#include <kcontrol/scheduling/impl/plugin_registry.ipp>

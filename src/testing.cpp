#include <kcontrol/testing/impl/event_checker.ipp>
#include <kcontrol/testing/impl/sim_context.ipp>
#include <kcontrol/testing/impl/sim_environment.ipp>
#include <kcontrol/testing/impl/sim_network.ipp>

#include <kcontrol/testing/impl/api_server.ipp>
#include <kcontrol/testing/impl/event_checker.ipp>
#include <kcontrol/testing/impl/local_api_server.ipp>
#include <kcontrol/testing/impl/sim_context.ipp>
#include <kcontrol/testing/impl/sim_environment.ipp>
#include <kcontrol/testing/impl/sim_network.ipp>

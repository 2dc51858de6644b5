#include <kcontrol/watch/impl/reflector.ipp>
#include <kcontrol/watch/impl/reflector_action.ipp>
#include <kcontrol/watch/impl/reflector_fsm.ipp>

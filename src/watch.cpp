#include <kcontrol/watch/impl/reflector_fsm.ipp>

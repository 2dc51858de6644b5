#include <kcontrol/watch/impl/bookmark_cadence.ipp>
#include <kcontrol/watch/impl/list_plan.ipp>
#include <kcontrol/watch/impl/reflector.ipp>
#include <kcontrol/watch/impl/reflector_action.ipp>
#include <kcontrol/watch/impl/reflector_fsm.ipp>
#include <kcontrol/watch/impl/reflector_fsm_watches.ipp>
#include <kcontrol/watch/impl/watch_health.ipp>

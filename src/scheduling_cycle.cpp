#include <kcontrol/scheduling/impl/cycle.ipp>
#include <kcontrol/scheduling/impl/decision.ipp>
#include <kcontrol/scheduling/impl/default_plugins.ipp>
#include <kcontrol/scheduling/impl/preemption.ipp>
#include <kcontrol/scheduling/impl/profile.ipp>
#include <kcontrol/scheduling/impl/trial.ipp>

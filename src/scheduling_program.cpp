#include <kcontrol/scheduling/impl/claim_binder.ipp>
#include <kcontrol/scheduling/impl/pod_binder.ipp>
#include <kcontrol/scheduling/impl/pod_group_watch.ipp>
#include <kcontrol/scheduling/impl/profile_decider.ipp>
#include <kcontrol/scheduling/impl/scheduler_metrics.ipp>
#include <kcontrol/scheduling/impl/volume_binder.ipp>

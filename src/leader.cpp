#include <kcontrol/leader/impl/leader_elector.ipp>
#include <kcontrol/leader/impl/leader_elector_run.ipp>
#include <kcontrol/leader/impl/leader_fence.ipp>
#include <kcontrol/leader/impl/leader_flags.ipp>
#include <kcontrol/leader/impl/lease_machine.ipp>
#include <kcontrol/leader/impl/options.ipp>

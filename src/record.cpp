#include <kcontrol/record/impl/event_correlator.ipp>
#include <kcontrol/record/impl/event_recorder.ipp>
#include <kcontrol/record/impl/recorder_set.ipp>

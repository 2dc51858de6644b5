#include <kcontrol/multicluster/impl/cluster_status.ipp>
#include <kcontrol/multicluster/impl/directory_tracker.ipp>

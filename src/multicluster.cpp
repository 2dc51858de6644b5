#include <kcontrol/multicluster/impl/cluster_status.ipp>
#include <kcontrol/multicluster/impl/directory_source.ipp>
#include <kcontrol/multicluster/impl/directory_tracker.ipp>
#include <kcontrol/multicluster/impl/engaged_cluster.ipp>
#include <kcontrol/multicluster/impl/multicluster_manager.ipp>
#include <kcontrol/multicluster/impl/scan_directory.ipp>
#include <kcontrol/multicluster/impl/secret_source.ipp>

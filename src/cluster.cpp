#include <kcontrol/cluster/impl/cluster.ipp>
#include <kcontrol/cluster/impl/crd_watch.ipp>
#include <kcontrol/cluster/impl/home_cluster.ipp>
#include <kcontrol/cluster/impl/informer_metrics.ipp>
#include <kcontrol/cluster/impl/informer_report.ipp>
#include <kcontrol/cluster/impl/informer_set.ipp>
#include <kcontrol/cluster/impl/informer_source.ipp>

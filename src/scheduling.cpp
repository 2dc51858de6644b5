#include <kcontrol/scheduling/impl/cache.ipp>
#include <kcontrol/scheduling/impl/interned_name.ipp>
#include <kcontrol/scheduling/impl/node_info.ipp>
#include <kcontrol/scheduling/impl/pod_info.ipp>
#include <kcontrol/scheduling/impl/pod_terms.ipp>
#include <kcontrol/scheduling/impl/resource_amounts.ipp>
#include <kcontrol/scheduling/impl/snapshot.ipp>
#include <kcontrol/scheduling/impl/topology.ipp>

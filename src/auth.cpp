#include <kcontrol/auth/impl/cluster_config.ipp>
#include <kcontrol/auth/impl/in_cluster.ipp>
#include <kcontrol/auth/impl/kubeconfig.ipp>
#include <kcontrol/auth/impl/resolve.ipp>
#include <kcontrol/auth/impl/token_source.ipp>

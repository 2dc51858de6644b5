#include <kcontrol/service/impl/grpc_call.ipp>
#include <kcontrol/service/impl/node_pods.ipp>
#include <kcontrol/service/impl/pod_resources.ipp>
#include <kcontrol/service/impl/pod_resources_client.ipp>

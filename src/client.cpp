#include <kcontrol/client/impl/answer.ipp>
#include <kcontrol/client/impl/apply.ipp>
#include <kcontrol/client/impl/client.ipp>
#include <kcontrol/client/impl/discovery.ipp>
#include <kcontrol/client/impl/exchange.ipp>
#include <kcontrol/client/impl/list.ipp>
#include <kcontrol/client/impl/resource_path.ipp>
#include <kcontrol/client/impl/watch_stream.ipp>

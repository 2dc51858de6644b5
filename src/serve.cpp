#include <kcontrol/serve/impl/embedded_file.ipp>
#include <kcontrol/serve/impl/event_log.ipp>
#include <kcontrol/serve/impl/event_stream.ipp>
#include <kcontrol/serve/impl/host_name.ipp>
#include <kcontrol/serve/impl/responses.ipp>
#include <kcontrol/serve/impl/route_table.ipp>
#include <kcontrol/serve/impl/router.ipp>

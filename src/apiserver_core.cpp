#include <kcontrol/apiserver/impl/access_control.ipp>
#include <kcontrol/apiserver/impl/api_server_core.ipp>
#include <kcontrol/apiserver/impl/api_server_watch.ipp>
#include <kcontrol/apiserver/impl/api_server_writes.ipp>
#include <kcontrol/apiserver/impl/body_writer.ipp>
#include <kcontrol/apiserver/impl/fault.ipp>
#include <kcontrol/apiserver/impl/request_log.ipp>

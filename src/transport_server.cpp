#include <kcontrol/transport/impl/connection_ledger.ipp>
#include <kcontrol/transport/impl/server.ipp>
#include <kcontrol/transport/impl/server_stats.ipp>
#include <kcontrol/transport/impl/serving_certificate.ipp>

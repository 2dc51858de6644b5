#include <kcontrol/transport/impl/dns_question.ipp>
#include <kcontrol/transport/impl/dns_search.ipp>
#include <kcontrol/transport/impl/host_lookup.ipp>
#include <kcontrol/transport/impl/resolver_config.ipp>

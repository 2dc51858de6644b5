#include <kcontrol/http/impl/message.ipp>
#include <kcontrol/http/impl/url.ipp>
#include <kcontrol/http/impl/url_target.ipp>
#include <kcontrol/http/impl/watch_framer.ipp>

#include <kcontrol/http/impl/message.ipp>

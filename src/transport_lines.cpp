#include <kcontrol/transport/impl/line_connection.ipp>

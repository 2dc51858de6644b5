#include <kcontrol/access/impl/delegated_access.ipp>

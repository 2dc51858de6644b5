#include <kcontrol/access/impl/delegated_access.ipp>
#include <kcontrol/access/impl/review_parts.ipp>

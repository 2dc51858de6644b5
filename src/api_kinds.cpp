#include <kcontrol/api/impl/kinds.ipp>

#include <kcontrol/schema/impl/crd.ipp>
#include <kcontrol/schema/impl/schema.ipp>

#include <kcontrol/model/impl/crd.ipp>
#include <kcontrol/model/impl/field_path.ipp>
#include <kcontrol/model/impl/schema.ipp>

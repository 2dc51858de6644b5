#include <kcontrol/model/impl/field_selector.ipp>
#include <kcontrol/model/impl/label_selector.ipp>

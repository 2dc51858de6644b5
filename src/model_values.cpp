#include <kcontrol/model/impl/api_duration.ipp>
#include <kcontrol/model/impl/int_or_string.ipp>
#include <kcontrol/model/impl/names.ipp>
#include <kcontrol/model/impl/node_selector.ipp>
#include <kcontrol/model/impl/quantity.ipp>

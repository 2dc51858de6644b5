#include <kcontrol/cel/impl/functions.ipp>
#include <kcontrol/cel/impl/functions_convert.ipp>
#include <kcontrol/cel/impl/functions_format.ipp>
#include <kcontrol/cel/impl/functions_kubernetes.ipp>
#include <kcontrol/cel/impl/functions_list.ipp>
#include <kcontrol/cel/impl/functions_optional.ipp>
#include <kcontrol/cel/impl/functions_table.ipp>
#include <kcontrol/cel/impl/functions_text.ipp>

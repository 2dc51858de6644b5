#include <kcontrol/model/impl/any_object.ipp>
#include <kcontrol/model/impl/field_path.ipp>
#include <kcontrol/model/impl/field_selector.ipp>
#include <kcontrol/model/impl/label_selector.ipp>
#include <kcontrol/model/impl/metadata_fields.ipp>
#include <kcontrol/model/impl/names.ipp>
#include <kcontrol/model/impl/node_selector.ipp>
#include <kcontrol/model/impl/required_node_affinity.ipp>

#include <kcontrol/documents/impl/patch.ipp>
#include <kcontrol/documents/impl/patch_diff.ipp>
#include <kcontrol/documents/impl/patch_merge.ipp>
#include <kcontrol/documents/impl/strict.ipp>
#include <kcontrol/documents/impl/value.ipp>
#include <kcontrol/documents/impl/yaml.ipp>
#include <kcontrol/documents/impl/yaml_scalar.ipp>
#include <kcontrol/documents/impl/yaml_writer.ipp>

#include <kcontrol/documents/impl/diff.ipp>
#include <kcontrol/documents/impl/merge_patch.ipp>
#include <kcontrol/documents/impl/patch.ipp>
#include <kcontrol/documents/impl/strict.ipp>
#include <kcontrol/documents/impl/value.ipp>
#include <kcontrol/documents/impl/yaml.ipp>
#include <kcontrol/documents/impl/yaml_scalar.ipp>
#include <kcontrol/documents/impl/yaml_writer.ipp>

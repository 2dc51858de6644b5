#include <kcontrol/json/impl/lazy.ipp>
#include <kcontrol/json/impl/patch.ipp>
#include <kcontrol/json/impl/reader.ipp>
#include <kcontrol/json/impl/strict.ipp>
#include <kcontrol/json/impl/value.ipp>
#include <kcontrol/json/impl/writer.ipp>
#include <kcontrol/json/impl/yaml.ipp>
#include <kcontrol/json/impl/yaml_scalar.ipp>

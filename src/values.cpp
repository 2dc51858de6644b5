#include <kcontrol/values/impl/api_duration.ipp>
#include <kcontrol/values/impl/containers.ipp>
#include <kcontrol/values/impl/generated_parts.ipp>
#include <kcontrol/values/impl/int_or_string.ipp>
#include <kcontrol/values/impl/quantity.ipp>
#include <kcontrol/values/impl/raw_json.ipp>
#include <kcontrol/values/impl/time.ipp>

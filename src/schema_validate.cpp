// Apart from schema.cpp because of RE2.
#include <kcontrol/schema/impl/pattern_search.ipp>
#include <kcontrol/schema/impl/text_checks.ipp>
#include <kcontrol/schema/impl/validate.ipp>
#include <kcontrol/schema/impl/validate_field_error.ipp>

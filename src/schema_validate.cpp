// Apart from schema.cpp because of RE2.
#include <kcontrol/schema/impl/field_error.ipp>
#include <kcontrol/schema/impl/text_checks.ipp>
#include <kcontrol/schema/impl/validate.ipp>

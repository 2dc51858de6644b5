// Apart from model_schema.cpp because of RE2.
#include <kcontrol/model/impl/validate.ipp>

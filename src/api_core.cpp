#include <kcontrol/api/impl/core_v1.ipp>

#include <kcontrol/scheduling/impl/device_cel.ipp>

#include <kcontrol/scheduling/impl/device_allocator.ipp>
#include <kcontrol/scheduling/impl/device_inventory.ipp>

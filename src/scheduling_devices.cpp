#include <kcontrol/scheduling/impl/claim_catalog.ipp>
#include <kcontrol/scheduling/impl/device_allocator.ipp>
#include <kcontrol/scheduling/impl/device_inventory.ipp>
#include <kcontrol/scheduling/impl/dynamic_resources.ipp>
#include <kcontrol/scheduling/impl/extended_claim.ipp>

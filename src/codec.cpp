#include <kcontrol/codec/impl/decode.ipp>
#include <kcontrol/codec/impl/encode.ipp>
#include <kcontrol/codec/impl/equal.ipp>
#include <kcontrol/codec/impl/known_fields.ipp>
#include <kcontrol/codec/impl/metadata_object.ipp>
#include <kcontrol/codec/impl/object_block.ipp>
#include <kcontrol/codec/impl/resource_of.ipp>
#include <kcontrol/codec/impl/share_pool.ipp>

// Apart from codec.cpp because of Boost.JSON's weight.
#include <kcontrol/codec/impl/dynamic_object.ipp>
#include <kcontrol/codec/impl/list_elements.ipp>
#include <kcontrol/codec/impl/list_elements_match.ipp>
#include <kcontrol/codec/impl/patch_between.ipp>

// Apart from model.cpp because of Boost.JSON's weight.
#include <kcontrol/model/impl/dynamic_object.ipp>
#include <kcontrol/model/impl/patch_between.ipp>

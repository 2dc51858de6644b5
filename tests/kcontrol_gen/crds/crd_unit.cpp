// One generated header as one object.
#include "registry.hpp"

#include CRD_HEADER

#include <kcontrol/codec/resource_of.hpp>

namespace {
[[maybe_unused]] const bool registered = kcontrol_test::register_kind(kcontrol::resource_of<CRD_TYPE>());
}

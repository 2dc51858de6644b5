#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/model/any_object.hpp>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL void any_object::refuse_type() const {
    if (object_ == nullptr) throw exception(error(errc::invalid_argument, "there is no object"));
    throw exception(error(errc::invalid_argument,
                          to_string(key()) + ": the object is of another C++ type than the one it is asked for as"));
}

}  // namespace kcontrol

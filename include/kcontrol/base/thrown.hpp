// What an exception that is being handled says, whatever its type.
#pragma once

#include <kcontrol/base/error.hpp>
#include <kcontrol/config.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// The text of the exception that is being handled: of a std::exception, a string or a character array what it says,
/// of anything else that it is none of them. To be called in a catch block; throws bad_alloc only.
KCONTROL_DECL std::string describe_thrown();

/// The exception that is being handled as an error: the cause of a kcontrol::exception as it is, anything else as
/// callback_failed, "WHO threw: TEXT". To be called in a catch block; throws bad_alloc only.
KCONTROL_DECL error error_of_thrown(std::string_view who);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/base/impl/thrown.ipp>
#endif

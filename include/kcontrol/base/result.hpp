// result<T>: a value, or the error that stood in its way.
#pragma once

#include <kcontrol/base/error.hpp>

#include <boost/system/result.hpp>

namespace kcontrol {

/// A value or an error. `if (!r) use(r.error()); else use(*r);` `r.value()` throws `exception`.
/// NotFound and Conflict are ordinary outcomes and come as errors, never as exceptions.
template <class T>
using result = boost::system::result<T, error>;

}  // namespace kcontrol

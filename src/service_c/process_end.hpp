// The end of the process: exit() while threads of the library, and of the program, still run.
#pragma once

namespace kcontrol::inline v0_1::service_c {

/// Has exit() call it, before what other libraries have registered until now. Returns false without memory for that.
bool call_at_exit(void (*function)()) noexcept;

}  // namespace kcontrol::service_c

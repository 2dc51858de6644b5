#include "process_end.hpp"

// The linker has the library's calls of __cxa_atexit come here (--wrap in cmake/service_c.cmake): its static objects
// are never destroyed. Those that functions make when they are first called (a kind's description, say) would be
// destroyed before anything that was registered earlier could stop the threads that still use them.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the linker makes these names
int __real___cxa_atexit(void (*function)(void*), void* argument, void* library) noexcept;
int __wrap___cxa_atexit(void (*function)(void*), void* argument, void* library) noexcept;

int __wrap___cxa_atexit(void (*)(void*), void*, void*) noexcept { return 0; }
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
}

namespace kcontrol::inline v0_1::service_c {

namespace {
void (*at_exit)() = nullptr;
}

bool call_at_exit(void (*function)()) noexcept {
    at_exit = function;
    // Of no library, so that it is called by exit() alone.
    return __real___cxa_atexit([](void*) { at_exit(); }, nullptr, nullptr) == 0;
}

}  // namespace kcontrol::service_c

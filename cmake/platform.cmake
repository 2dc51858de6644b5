# What the library is written for. The files that are bound to it are named after it: *_linux.ipp, *_linux.hpp.
# docs/dependencies.md says what they use.
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
    message(FATAL_ERROR "kcontrol is for Linux with glibc 2.34 or newer, not for ${CMAKE_SYSTEM_NAME}")
endif()
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("
#include <features.h>
#if !defined(__GLIBC__) || !__GLIBC_PREREQ(2, 34)
#error
#endif
int main() {}" KCONTROL_GLIBC_IS_NEW_ENOUGH)
if(NOT KCONTROL_GLIBC_IS_NEW_ENOUGH)
    message(FATAL_ERROR "kcontrol is for Linux with glibc 2.34 or newer; this C library is another or an older one")
endif()

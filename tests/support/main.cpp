#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "sanitizers.hpp"

#include <doctest/doctest.h>

#if KCONTROL_TEST_UNDER_ASAN
// c-ares 1.18.1 loses ten bytes of a look-up that a hosts file answers; they are allocated and lost within it. All of
// ours is looked for.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libcares.so"; }

// UBSan traps in preset clang-asan: AddressSanitizer then says where. Preset gcc-ubsan says what is wrong.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "handle_sigill=1"; }
#endif

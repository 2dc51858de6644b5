// Which sanitizers a test is compiled with. g++ defines macros of its own for them, clang answers __has_feature.
#pragma once

#if defined(__has_feature)
#define KCONTROL_TEST_HAS_FEATURE(name) __has_feature(name)
#else
#define KCONTROL_TEST_HAS_FEATURE(name) 0
#endif

namespace kcontrol::test {

#if defined(__SANITIZE_ADDRESS__) || KCONTROL_TEST_HAS_FEATURE(address_sanitizer)
#define KCONTROL_TEST_UNDER_ASAN 1
inline constexpr bool under_asan = true;
#else
#define KCONTROL_TEST_UNDER_ASAN 0
inline constexpr bool under_asan = false;
#endif

#if defined(__SANITIZE_THREAD__) || KCONTROL_TEST_HAS_FEATURE(thread_sanitizer)
#define KCONTROL_TEST_UNDER_TSAN 1
inline constexpr bool under_tsan = true;
#else
#define KCONTROL_TEST_UNDER_TSAN 0
inline constexpr bool under_tsan = false;
#endif

inline constexpr bool under_sanitizer = under_asan || under_tsan;

}  // namespace kcontrol::test

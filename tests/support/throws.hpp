// What functions of a program may throw: an exception, or anything else.
#pragma once

#include <array>
#include <stdexcept>

namespace kcontrol::test {

enum class thrown { runtime_error, an_int };

inline constexpr std::array all_thrown{thrown::runtime_error, thrown::an_int};

[[noreturn]] inline void throw_it(thrown what) {
    if (what == thrown::an_int) throw 7;
    throw std::runtime_error("boom");
}

/// What is told of it.
inline const char* text_of(thrown what) {
    return what == thrown::an_int ? "an exception that is no std::exception" : "boom";
}

}  // namespace kcontrol::test

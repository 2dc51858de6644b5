// Build-mode macros: how definitions reach the linker in compiled and in header-only mode.
//
// Compiled mode (the default, target kcontrol::kcontrol) defines KCONTROL_SEPARATE_COMPILATION for
// the library and for everyone who links it; definitions are then built once, from src/*.cpp.
// Header-only mode (target kcontrol::header_only) leaves it undefined: every public header includes
// its definitions (impl/*.ipp), marked inline.
#pragma once

#if defined(KCONTROL_SEPARATE_COMPILATION)
#define KCONTROL_DECL
#else
#define KCONTROL_HEADER_ONLY
#define KCONTROL_DECL inline
#endif

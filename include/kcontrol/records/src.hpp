// Every definition of kcontrol::records, for a build without CMake: include it in one source file of yours.
// Written by tools/check_umbrella.py --write.
#pragma once

#ifndef KCONTROL_SEPARATE_COMPILATION
#error "kcontrol/records/src.hpp is for compiled mode: define KCONTROL_SEPARATE_COMPILATION in every source file"
#endif

#include <kcontrol/records/impl/sqlite_records.ipp>

// What first.cpp and second.cpp include: with WHOLE_LIBRARY all of the library, for which g++ takes 4 GB and a minute
// each.
#pragma once

#ifdef WHOLE_LIBRARY
#include <kcontrol/kcontrol.hpp>
#else
#include <kcontrol/client/client.hpp>
#endif

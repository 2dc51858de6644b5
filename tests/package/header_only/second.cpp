// See first.cpp.
#include "library.hpp"

int second() { return kcontrol::json::parse("{}") ? 0 : 1; }

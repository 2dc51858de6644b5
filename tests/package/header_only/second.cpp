// See first.cpp.
#include <kcontrol/kcontrol.hpp>

int second() { return kcontrol::json::parse("{}") ? 0 : 1; }

#include <kcontrol/json/value.hpp>

int second() { return kcontrol::json::parse("{}") ? 0 : 1; }

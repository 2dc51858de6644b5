// The library in this translation unit, and again in second.cpp: a definition that is not inline shows as a duplicate
// symbol, two private helpers of one name as a redefinition.
#include "library.hpp"

int second();

int main() { return kcontrol::json::parse("{}") ? second() : 1; }

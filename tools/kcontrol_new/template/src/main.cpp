#include <kcontrol/manager/run.hpp>

#include "hello_world.hpp"

// --help shows what it can be told; it stops at SIGTERM.
int main(int argc, char** argv) { return kcontrol::run(argc, argv, add_controllers); }

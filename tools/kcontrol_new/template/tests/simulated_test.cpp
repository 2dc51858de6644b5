// The whole program before a simulated cluster, in virtual time: each of its calls fails once, in four ways, and it
// must come to the same end each time.
#include <kcontrol/testing/idempotence.hpp>

#include "hello_world.hpp"

#include <iostream>

int main() {
    hello_world hello;
    hello.metadata.name = "hello";
    hello.spec.message = "Hello";
    const auto report = kcontrol::testing::expect_idempotent(add_controllers, hello);
    std::cout << report.text() << "\n";
    return report ? 0 : 1;
}

#include "program.hpp"

#include <exception>
#include <iostream>

int main(int argc, char** argv) {
    try {
        return kcontrol_gen::run({argv + 1, argv + argc}, std::cout, std::cerr);
    } catch (const std::exception& thrown) {
        std::cerr << "kcontrol-gen: " << thrown.what() << '\n';
        return 1;
    }
}

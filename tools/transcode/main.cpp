#include "program.hpp"

#include <exception>
#include <iostream>

int main(int argc, char** argv) {
    try {
        return transcode::run({argv + 1, argv + argc}, std::cin, std::cout, std::cerr);
    } catch (const std::exception& thrown) {
        std::cerr << "kcontrol-transcode: " << thrown.what() << '\n';
        return 1;
    }
}

#include "program.hpp"

#include <csignal>
#include <exception>
#include <iostream>

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of that write, not the end
    try {
        return kcontrol_apiserver::run({argv + 1, argv + argc}, std::cout, std::cerr);
    } catch (const std::exception& thrown) {
        std::cerr << "kcontrol-apiserver: " << thrown.what() << '\n';
        return 1;
    }
}

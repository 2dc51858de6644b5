// A command of a program that prints a text and ends.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>

#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace commands {

/// Prints what `command` says of the arguments, or `help` if they ask for it. Returns the exit status: 0; 2 for
/// invalid_argument, with the message on standard error; 1 for any other failure, also of the output.
template <class Command>
int print_command(const std::vector<std::string_view>& arguments, std::string_view help, Command&& command) {
    const auto asks_help = [](std::string_view a) { return a == "--help" || a == "-h"; };
    if (std::ranges::any_of(arguments, asks_help)) return std::cout << help, 0;
    const kcontrol::result<std::string> said = command(arguments);
    if (said) return std::cout << *said, std::cout.flush() ? 0 : 1;
    std::cerr << "error: " << kcontrol::escape_control(said.error().message()) << "\n";
    return said.error().code() == kcontrol::errc::invalid_argument ? 2 : 1;
}

}  // namespace commands

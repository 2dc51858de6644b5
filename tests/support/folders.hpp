// Where the tests' own files are. Functions, not macros in every command line: so objects of one checkout are good for
// another one, and ccache finds them.
#pragma once

#include <string>

namespace kcontrol::test {

/// The path of `name` in tests/.
std::string tests_file(const std::string& name);

/// The path of `name` in the project's folder.
std::string source_file(const std::string& name);

}  // namespace kcontrol::test

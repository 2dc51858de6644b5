// The program kcontrol-transcode, without its process.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace transcode {

/// Runs with these arguments (without the program's name) and gives the exit status: 0 done, 1 an object did not decode
/// or did not survive or a file can't be read, 2 wrong arguments.
int run(const std::vector<std::string>& arguments, std::istream& in, std::ostream& out, std::ostream& log);

}  // namespace transcode

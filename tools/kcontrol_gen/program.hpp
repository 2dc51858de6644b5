// The program without its main(): what it does, and with which exit status it ends.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace kcontrol_gen {

/// Exit status: 0 done, 1 the input can't be used or a file or cluster failed, 2 wrong arguments.
int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace kcontrol_gen

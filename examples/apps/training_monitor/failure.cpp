#include "failure.hpp"

#include <kcontrol/logging/log_sink.hpp>

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace training_monitor {

int fail(const kcontrol::error& why) {
    std::string_view rest = why.message();
    do {
        const auto end = std::min(rest.find('\n'), rest.size());
        std::fprintf(stderr, "training_monitor: %s\n", kcontrol::escape_control(rest.substr(0, end)).c_str());
        rest.remove_prefix(std::min(end + 1, rest.size()));
    } while (!rest.empty());
    return 1;
}

}  // namespace training_monitor

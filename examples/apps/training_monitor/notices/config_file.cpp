#include "notices/config_file.hpp"

#include "notices/config_error.hpp"
#include "strict_yaml.hpp"

namespace training_monitor::notices {

kcontrol::result<notice_file> decode_config_file(std::string_view text) {
    auto file = read_strict_yaml<notice_file>(text, "receivers and rules", "docs/training_monitor/notices.md");
    if (file) return file;
    // The decoder's messages end with what was found, and that may be a secret in the wrong place.
    const auto& why = file.error().message();
    return bad_config(why.substr(0, why.find(", found")));
}

}  // namespace training_monitor::notices

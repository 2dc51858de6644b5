#include "notices/credential_files.hpp"

#include "notices/config_error.hpp"

#include <cstddef>

namespace training_monitor::notices {
namespace {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;
using kcontrol::secret_string;

constexpr std::size_t most_secret_bytes = std::size_t{64} << 10;

// Without the name: who writes the URL or the secret here by mistake must not read it in a log.
error unreadable(const error& failure, std::string_view field) {
    const std::string& text = failure.message();
    const auto colon = text.rfind(": ");
    const std::string why = failure == errc::too_large
                                ? "it is larger than " + std::to_string(most_secret_bytes >> 10) + " KiB"
                            : colon == std::string::npos ? "no reason given"
                                                         : text.substr(colon + 2);
    return bad_config(std::string(field) + ": the file that it names can't be read (" + why +
                      "); it must be the name of a file that holds the value, not the value");
}

}  // namespace

credential_files::credential_files(kcontrol::environment& env, const std::string& config_path) : env_(env) {
    const auto slash = config_path.rfind('/');
    directory_ = slash == std::string::npos ? std::string() : config_path.substr(0, slash + 1);
}

result<std::string> credential_files::text(const std::string& name, std::string_view field) const {
    if (name.empty()) return bad_config(std::string(field) + ": is missing; name a file that holds it");
    const std::string path = name.starts_with('/') ? name : directory_ + name;
    auto out = env_.read_file(path, most_secret_bytes);
    if (!out) return unreadable(out.error(), field);
    const auto end = out->find_last_not_of(" \t\r\n");
    if (end == std::string::npos) return bad_config(std::string(field) + ": " + path + " is empty");
    out->resize(end + 1);
    return out;
}

result<secret_string> credential_files::secret(const std::string& name, std::string_view field) const {
    auto line = text(name, field);
    if (!line) return line.error();
    if (line->find_first_of("\r\n") != std::string::npos) {
        return bad_config(std::string(field) + ": " + name + " has more than one line");
    }
    return secret_string(std::move(*line));
}

}  // namespace training_monitor::notices

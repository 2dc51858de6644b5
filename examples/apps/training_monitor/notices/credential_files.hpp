// The files that the configuration names: URLs, secrets, tokens, certificates.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/base/secret_string.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <string>
#include <string_view>

namespace training_monitor::notices {

/// Object lifetime: the environment outlives it.
class credential_files {
public:
    /// Relative names are relative to the configuration at `config_path`.
    credential_files(kcontrol::environment& env, const std::string& config_path);

    /// The text of the file that the configuration's `field` names, without white space at its end.
    /// Errors: invalid_config, naming the field, and nothing of the file's content or the name of one that is not
    /// there: that may be the credential itself.
    kcontrol::result<std::string> text(const std::string& name, std::string_view field) const;

    /// The same of a file with one line, such as a secret.
    kcontrol::result<kcontrol::secret_string> secret(const std::string& name, std::string_view field) const;

private:
    kcontrol::environment& env_;
    std::string directory_;
};

}  // namespace training_monitor::notices

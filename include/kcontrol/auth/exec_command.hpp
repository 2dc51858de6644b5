// The program that a kubeconfig names for getting credentials: a client-go credential plugin.
#pragma once

#include <kcontrol/config.hpp>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::auth {

/// Whether a plugin may ask the user at the terminal of the program that runs it: Never, IfAvailable (if standard input
/// is a terminal) or Always (without a terminal it is not run).
enum class interactive_mode { never, if_available, always };

/// What is run, and what it is told. Its variables may be secrets: never print it whole.
/// Source: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class exec_command {
public:
    exec_command() = default;
    /// `api_version` is client.authentication.k8s.io/v1 or /v1beta1. A program with a '/' is a path, which is absolute;
    /// one without is looked for in $PATH.
    exec_command(std::string api_version, std::string program)
        : api_version_(std::move(api_version)), program_(std::move(program)) {}

    /// What stands behind the program's name; each is given as it is, for there is no shell.
    exec_command& arguments(std::vector<std::string> words) { return arguments_ = std::move(words), *this; }
    /// Added to this process' own environment variables, or instead of them.
    exec_command& variables(std::map<std::string, std::string> more) { return variables_ = std::move(more), *this; }
    /// What to tell where the program is not there.
    exec_command& install_hint(std::string text) { return install_hint_ = std::move(text), *this; }
    /// The JSON object that it is told as spec.cluster. Empty: none.
    exec_command& cluster_info(std::string json) { return cluster_info_ = std::move(json), *this; }
    /// Whether its standard input is that of this process, a terminal. Default: never.
    exec_command& interactive(interactive_mode mode) { return interactive_ = mode, *this; }
    /// Only these may be run, by their absolute paths. Nothing: any.
    exec_command& only(std::optional<std::vector<std::string>> paths) { return only_ = std::move(paths), *this; }

    const std::string& api_version() const noexcept { return api_version_; }  ///< in which it is asked and answers
    const std::string& program() const noexcept { return program_; }  ///< a path, or a name to look for in $PATH
    const std::vector<std::string>& arguments() const noexcept { return arguments_; }
    const std::map<std::string, std::string>& variables() const noexcept { return variables_; }
    const std::string& install_hint() const noexcept { return install_hint_; }
    const std::string& cluster_info() const noexcept { return cluster_info_; }
    interactive_mode interactive() const noexcept { return interactive_; }
    const std::optional<std::vector<std::string>>& only() const noexcept { return only_; }

    friend bool operator==(const exec_command&, const exec_command&) = default;

private:
    std::string api_version_;
    std::string program_;
    std::vector<std::string> arguments_;
    std::map<std::string, std::string> variables_;
    std::string install_hint_;
    std::string cluster_info_;
    std::optional<std::vector<std::string>> only_;
    interactive_mode interactive_ = interactive_mode::never;
};

}  // namespace kcontrol::auth

// Running a credential plugin, and understanding what it says.
#pragma once

#include <kcontrol/auth/credential_provider.hpp>
#include <kcontrol/auth/exec_command.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::auth::detail {

/// More than that of an output is an error.
inline constexpr std::size_t most_plugin_output = std::size_t{1} << 20;
/// A plugin that takes longer is killed, with its process group.
inline constexpr duration longest_plugin_run = std::chrono::minutes(1);
/// The same for one that may ask its user.
inline constexpr duration longest_interactive_run = std::chrono::minutes(10);

/// What KUBERNETES_EXEC_INFO says. `interactive`: whether the plugin has a terminal.
KCONTROL_DECL std::string exec_info(const exec_command& command, bool interactive = false);

/// What a plugin wrote to standard output: an ExecCredential of that version.
/// Errors: decode_failed, naming the field and what is wrong with it, and nothing of what was found.
KCONTROL_DECL result<issued_credentials> read_exec_credential(std::string_view text, std::string_view api_version);

/// The last line of a plugin's standard error, short, printable, without what looks like a secret or is one of the
/// given ones.
KCONTROL_DECL std::string plugin_complaint(std::string_view errors, const exec_command& command);

/// The paths at which the program may be, in the order in which to try them.
KCONTROL_DECL std::vector<std::string> program_candidates(const exec_command& command, const environment& env);

}  // namespace kcontrol::auth::detail

namespace kcontrol::inline v0_1::auth {

/// Runs a credential plugin each time that it is asked: what a configuration with exec() gets.
/// Errors: file_failed (it is not there), timeout, stopped, unavailable (it failed), decode_failed (what it printed),
/// invalid_config (it is not one of those that may run, or needs a terminal and there is none). They name the plugin,
/// and hold no secret.
///
/// Thread-safety: see credential_provider. Object lifetime: the environment outlives it.
class exec_provider final : public credential_provider {
public:
    /// Runs nothing before issue(). `log` gets what a plugin that succeeds wrote to standard error, as
    /// detail::plugin_complaint() has it: once for each text.
    exec_provider(environment& env, exec_command command, logger log = {})
        : env_(env), plugin_(std::make_shared<plugin>(std::move(command), std::move(log))) {}

    awaitable<result<issued_credentials>> issue(std::stop_token stop) override {
        return run(env_, plugin_, std::move(stop));
    }

private:
    // Runs hold it, as they may outlast the provider.
    struct plugin {
        plugin(exec_command c, logger l) : command(std::move(c)), log(std::move(l)) {}
        exec_command command;
        logger log;
        std::string logged;  // the last text
    };
    static KCONTROL_DECL awaitable<result<issued_credentials>> run(environment& env, std::shared_ptr<plugin> one,
                                                                   std::stop_token stop);
    environment& env_;
    std::shared_ptr<plugin> plugin_;
};

}  // namespace kcontrol::auth

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/auth/impl/exec_provider.ipp>
#endif

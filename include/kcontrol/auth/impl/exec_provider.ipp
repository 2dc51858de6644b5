#pragma once

#include <kcontrol/auth/detail/token_text.hpp>
#include <kcontrol/auth/exec_provider.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/json/reader.hpp>
#include <kcontrol/json/writer.hpp>
#include <kcontrol/values/time.hpp>

#include <algorithm>
#include <optional>

namespace kcontrol::inline v0_1::auth::detail {

KCONTROL_DECL std::string exec_info(const exec_command& command, bool interactive) {
    json::writer out;
    out.begin_object();
    out.member("kind", "ExecCredential");
    out.member("apiVersion", command.api_version());
    out.key("spec");
    out.begin_object();
    if (!command.cluster_info().empty()) {
        out.key("cluster");
        out.raw(command.cluster_info());
    }
    out.member("interactive", interactive);
    out.end_object();
    out.end_object();
    return out.take();
}

inline error bad_credential(std::string_view what) {
    return error(errc::decode_failed, "it did not print an ExecCredential: " + std::string(what));
}

// A text, or nothing where there is none. `wrong` is set where there is something else.
inline std::string credential_text(const json::node& status, std::string_view name, std::string_view& wrong) {
    const json::node found = status[name];
    if (found.is_null()) return {};
    if (!found.is_string()) {
        wrong = name;
        return {};
    }
    return std::string(found.as_string());
}

inline result<issued_credentials> read_exec_status(const json::node& status) {
    std::string_view wrong;
    const secret_string token(credential_text(status, "token", wrong));
    const std::string chain = credential_text(status, "clientCertificateData", wrong);
    secret_string key(credential_text(status, "clientKeyData", wrong));
    const std::string until = credential_text(status, "expirationTimestamp", wrong);
    if (!wrong.empty()) return bad_credential("status." + std::string(wrong) + " is no string");
    if (chain.empty() != key.empty()) {
        return bad_credential(key.empty() ? "status.clientKeyData is missing beside clientCertificateData"
                                          : "status.clientCertificateData is missing beside clientKeyData");
    }
    issued_credentials out;
    const auto sendable = token_in(token.reveal());
    if (sendable.empty() && !token.empty()) return bad_credential("status.token is something else than visible ASCII");
    if (sendable.empty() && key.empty()) {
        return bad_credential("status has neither a token nor a client certificate with its key");
    }
    out.token(secret_string(std::string(sendable))).client_certificate(chain, std::move(key));
    if (until.empty()) return out;
    const auto at = parse_time(until);
    if (!at) return bad_credential("status.expirationTimestamp is no time like 2026-01-31T12:00:00Z");
    out.expires(*at);
    return out;
}

// A version as it may stand in a message: what else a plugin prints may be a secret.
inline std::string exec_version_text(std::string_view version) {
    constexpr std::string_view group = "client.authentication.k8s.io/";
    constexpr std::size_t longest = 12;
    if (version.empty()) return "missing";
    const auto name = version.substr(std::min(group.size(), version.size()));
    const bool known = version.starts_with(group) && !name.empty() && name.size() <= longest &&
                       std::all_of(name.begin(), name.end(),
                                   [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
    return known ? std::string(version) : "something else";
}

KCONTROL_DECL result<issued_credentials> read_exec_credential(std::string_view text, std::string_view api_version) {
    if (text.size() > most_plugin_output) return bad_credential("it is more than 1 MiB");
    json::document document;
    const auto root = document.parse(text);
    if (!root) return bad_credential("it is not JSON");
    if (!root->is_object()) return bad_credential("it is no JSON object");
    const auto says = [&root](std::string_view name) {
        const json::node found = (*root)[name];
        return found.is_string() ? std::string(found.as_string()) : std::string();
    };
    if (says("kind") != "ExecCredential") return bad_credential("kind is something else");
    if (const auto version = says("apiVersion"); version != api_version) {
        return bad_credential("apiVersion is " + exec_version_text(version) + ", and the kubeconfig has " +
                              std::string(api_version) +
                              ": write the plugin's into the kubeconfig, or update the plugin");
    }
    const json::node status = (*root)["status"];
    if (!status.is_object()) return bad_credential("status is missing");
    return read_exec_status(status);
}

// Long, and of several kinds of characters: keys, tokens and passwords look so, and words do not.
inline bool looks_secret(std::string_view word) {
    constexpr std::size_t longest_word = 20;
    const auto is_in = [&word](char low, char high) {
        return std::any_of(word.begin(), word.end(), [=](char c) { return c >= low && c <= high; });
    };
    return word.size() >= longest_word && is_in('0', '9') && (is_in('a', 'z') || is_in('A', 'Z'));
}

inline void leave_out(std::string& text, std::string_view secret) {
    constexpr std::size_t least_secret = 4;
    if (secret.size() < least_secret) return;
    for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret, at)) {
        text.replace(at, secret.size(), "…");
    }
}

KCONTROL_DECL std::string plugin_complaint(std::string_view errors, const exec_command& command) {
    constexpr std::size_t longest = 300;
    const auto end = errors.find_last_not_of(" \t\r\n");
    if (end == std::string_view::npos) return {};
    errors = errors.substr(0, end + 1);
    const auto line = errors.find_last_of('\n');
    std::string text(errors.substr(line == std::string_view::npos ? 0 : line + 1));
    for (const auto& [name, value] : command.variables()) leave_out(text, value);
    constexpr std::string_view between = " \t\r\"'`=:,;()[]{}<>";
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = std::min(text.find_first_not_of(between, at), text.size());
        const std::size_t stop = std::min(text.find_first_of(between, begin), text.size());
        out.append(text, at, begin - at);
        const std::string_view word = std::string_view(text).substr(begin, stop - begin);
        out += looks_secret(word) ? std::string_view("…") : word;
        at = stop;
    }
    const bool cut = out.size() > longest;
    if (cut) out.resize(longest);
    return escape_control(out) + (cut ? "…" : "");
}

KCONTROL_DECL std::vector<std::string> program_candidates(const exec_command& command, const environment& env) {
    if (command.program().find('/') != std::string::npos) return {command.program()};
    std::vector<std::string> out;
    const std::string paths = env.variable("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
    for (std::string_view rest = paths; !rest.empty();) {
        const std::string_view one = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(rest.size(), one.size() + 1));
        // What lies in whatever directory this runs in is not meant (Go's exec.ErrDot).
        if (one.starts_with('/')) out.push_back(std::string(one).append("/").append(command.program()));
    }
    return out;
}

inline bool may_run(const exec_command& command, const std::string& path) {
    return !command.only() || std::count(command.only()->begin(), command.only()->end(), path) != 0;
}

// Whether it gets the terminal. Source: client-go, exec.isInteractive.
inline result<bool> gets_terminal(const environment& env, const exec_command& command) {
    if (command.interactive() == interactive_mode::never) return false;
    const std::string problem = env.terminal_problem();
    if (problem.empty()) return true;
    if (command.interactive() == interactive_mode::if_available) return false;
    return error(errc::invalid_config,
                 "interactiveMode is Always, so it asks at a terminal, and " + problem +
                     ": start this program at a terminal, or log in with the plugin before and write IfAvailable");
}

inline process_command plugin_process(environment& env, const exec_command& command, std::string path, bool interactive,
                                      std::stop_token stop) {
    std::vector<std::string> words = command.arguments();
    words.insert(words.begin(), std::move(path));
    process_command out(std::move(words));
    for (auto& [name, value] : env.all_variables()) out.variable(name, value);
    for (const auto& [name, value] : command.variables()) out.variable(name, value);
    out.variable("KUBERNETES_EXEC_INFO", exec_info(command, interactive));
    out.max_output(most_plugin_output + 1).stop(std::move(stop)).terminal(interactive);
    out.deadline(interactive ? longest_interactive_run : longest_plugin_run);
    return out;
}

inline error plugin_missing(const exec_command& command, const std::string& why) {
    constexpr std::size_t longest_hint = 500;
    std::string hint = escape_control(std::string_view(command.install_hint()).substr(0, longest_hint));
    if (hint.empty()) hint = "install it, or put its path into the kubeconfig";
    return error(errc::file_failed, why + ": " + hint);
}

inline result<issued_credentials> judge_plugin(const process_result& ended, const exec_command& command) {
    if (ended.signal != 0 || ended.exit_status != 0) {
        const std::string how = ended.signal != 0 ? "was ended by signal " + std::to_string(ended.signal)
                                                  : "ended with status " + std::to_string(ended.exit_status);
        const std::string said = plugin_complaint(ended.errors, command);
        return error(errc::unavailable, "it " + how + (said.empty() ? "" : ": " + said));
    }
    return read_exec_credential(ended.output, command.api_version());
}

}  // namespace kcontrol::auth::detail

namespace kcontrol::inline v0_1::auth {

KCONTROL_DECL awaitable<result<issued_credentials>> exec_provider::run(environment& env, std::shared_ptr<plugin> one,
                                                                       std::stop_token stop) {
    const exec_command* const command = &one->command;
    const std::string what = "exec plugin \"" + escape_control(command->program()) + "\"";
    const auto interactive = detail::gets_terminal(env, *command);
    if (!interactive) co_return interactive.error().with_context(what);
    std::optional<error> last;
    bool forbidden = false;
    for (const auto& path : detail::program_candidates(*command, env)) {
        if (!detail::may_run(*command, path)) {
            forbidden = true;
            continue;
        }
        auto ended = co_await env.run_process(detail::plugin_process(env, *command, path, *interactive, stop));
        if (ended) {
            auto judged = detail::judge_plugin(*ended, *command);
            if (!judged) co_return judged.error().with_context(what);
            // Asked for a code, warned of an old version: it concerns who runs this, also where all went well.
            auto complaint = detail::plugin_complaint(ended->errors, *command);
            if (!complaint.empty() && complaint != one->logged) {
                one->log.info("an exec plugin wrote to standard error",
                              {{"plugin", command->program()}, {"text", complaint}});
            }
            one->logged = std::move(complaint);
            co_return judged;
        }
        if (ended.error() != errc::file_failed) co_return ended.error().with_context(what);
        if (!last) last = ended.error();
    }
    if (forbidden && !last) {
        co_return error(errc::invalid_config, what +
                                                  " is not one of the programs that may run: the program allows them "
                                                  "(trust::allow_programs), or a kuberc (credentialPluginAllowlist)");
    }
    const bool by_path = command->program().find('/') != std::string::npos;
    const std::string why = by_path && last ? last->message() : std::string("not found in $PATH");
    co_return detail::plugin_missing(*command, why).with_context(what);
}

}  // namespace kcontrol::auth

#pragma once

#include <kcontrol/auth/detail/resolve.hpp>
#include <kcontrol/auth/detail/token_text.hpp>
#include <kcontrol/base/log.hpp>

#include <algorithm>
#include <map>

namespace kcontrol::inline v0_1::auth::detail {

// Which program took the place of a provider that client-go had built in.
inline std::string auth_provider_remedy(const std::string& name) {
    std::string plugin = "an exec plugin";
    if (name == "gcp") plugin = "the exec plugin gke-gcloud-auth-plugin (gcloud container clusters get-credentials)";
    if (name == "azure") plugin = "the exec plugin kubelogin (kubelogin convert-kubeconfig)";
    if (name == "oidc") plugin = "the exec plugin kubelogin (kubectl oidc-login setup)";
    return "\"" + escape_control(name) + "\": providers are no more, as in kubectl since 1.26: use " + plugin;
}

inline bool is_header_text(std::string_view text) {
    return std::none_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7f;
    });
}

// Nobody may act as himself where somebody else was meant.
KCONTROL_DECL std::optional<error> resolver::take_impersonation(const kubeconfig_user& user) {
    std::string_view first;
    if (user.as_user_extra) first = "as-user-extra";
    if (user.as_groups) first = "as-groups";
    if (user.as_uid.there) first = "as-uid";
    if (user.as.there) first = "as";
    if (first.empty()) return std::nullopt;
    if (!allows(kubeconfig_feature::impersonation)) {
        const std::string who = user.as.there ? " (\"" + escape_control(user.as.text.substr(0, 200)) + "\")" : "";
        return bad(first, "an untrusted kubeconfig may not impersonate anybody" + who + ": remove it");
    }
    if (user.as.text.find_first_not_of(' ') == std::string::npos) {
        return user.as.there ? bad("as", "empty: name a user to impersonate, or remove it")
                             : bad(first, "there is no user to impersonate: give `as`, or remove it");
    }
    impersonation who(user.as.text);
    if (user.as_uid.there && user.as_uid.text.empty()) return bad("as-uid", "empty: give a uid, or remove it");
    who.uid(user.as_uid.text);
    bool sendable = is_header_text(user.as.text) && is_header_text(user.as_uid.text);
    for (const auto& group : user.as_groups.value_or(std::vector<std::string>())) {
        if (group.empty()) return bad("as-groups", "holds an empty name: remove it");
        sendable = sendable && is_header_text(group);
    }
    for (const auto& [key, values] : user.as_user_extra.value_or(std::map<std::string, std::vector<std::string>>())) {
        if (key.empty()) return bad("as-user-extra", "holds an empty key: remove it");
        for (const auto& value : values) sendable = sendable && is_header_text(value);
    }
    if (!sendable) return bad(first, "holds control characters, which can't be sent: remove them");
    who.groups(user.as_groups.value_or(std::vector<std::string>()));
    who.extra(user.as_user_extra.value_or(std::map<std::string, std::vector<std::string>>()));
    out_.impersonate(std::move(who));
    return std::nullopt;
}

KCONTROL_DECL std::optional<error> resolver::take_certificate(const kubeconfig_user& user) {
    std::string certificate_file, key_file;
    auto certificate = pem("client-certificate", user.certificate_data, user.certificate_file, certificate_file);
    if (!certificate) return certificate.error();
    auto key = pem("client-key", user.key_data.reveal(), user.key_file, key_file);
    if (!key) return key.error();
    if (certificate->empty() != key->empty()) {
        return key->empty() ? bad("client-key", "missing beside client-certificate")
                            : bad("client-certificate", "missing beside client-key");
    }
    files_.certificate(std::move(certificate_file)).key(std::move(key_file));
    tls_.client_certificate(std::move(*certificate), secret_string(std::move(*key)));
    return std::nullopt;
}

KCONTROL_DECL std::optional<error> resolver::take_token(const kubeconfig_user& user) {
    const auto token = token_in(user.token.reveal());
    if (token.empty() && !user.token.empty()) return bad("token", "holds something else than visible ASCII");
    const bool basic = !user.username.empty() || !user.password.empty();
    if (basic && (!user.token.empty() || !user.token_file.empty())) {
        return bad(user.username.empty() ? "password" : "username",
                   "there is a token, too, and only one of them can be sent: remove one");
    }
    if (user.username.find(':') != std::string::npos) {
        return bad("username", "\"" + escape_control(user.username) + "\" holds a ':', which can't be sent");
    }
    out_.token(secret_string(std::string(token)));
    out_.basic(user.username, user.password);
    if (user.token_file.empty()) return std::nullopt;
    if (auto path = refuse_path("tokenFile", user.token_file)) return path;
    out_.token_file(beside_origin(user.token_file));
    if (!is_https()) return std::nullopt;  // it will not be sent
    // token_source reads it again; here it is read only to report early what is wrong.
    const auto first = read_token_file(env_, out_.token_file());
    if (!first && token.empty()) return first.error().with_context(where_ + ": tokenFile");
    return std::nullopt;
}

KCONTROL_DECL std::optional<error> resolver::refuse_exec(const kubeconfig_user& user) const {
    if (user.auth_provider) return bad("auth-provider", auth_provider_remedy(user.auth_provider->name));
    if (!user.exec || allows(kubeconfig_feature::programs)) return std::nullopt;
    return bad("exec",
               "an untrusted kubeconfig may not run programs (\"" + escape_control(user.exec->command.substr(0, 200)) +
                   "\"): put a token or a client certificate into it, or allow it where the kubeconfig is read");
}

// As client-go has it: a path where it holds a '/', beside the file; else a name to look for in $PATH.
KCONTROL_DECL result<std::string> resolver::program_path(const std::string& command) const {
    if (command.find('/') == std::string::npos || command.front() == '/') return command;
    if (!at_.level.is_trusted()) {
        return bad("exec.command", "\"" + escape_control(command) +
                                       "\": an untrusted kubeconfig has no directory: "
                                       "write an absolute path, or a name alone");
    }
    std::string path = beside_origin(command);
    if (path.front() == '/') return path;
    const std::string here = env_.variable("PWD").value_or("");
    if (here.starts_with('/')) return here + "/" + path;
    return bad("exec.command", "\"" + escape_control(command) +
                                   "\" is relative to a kubeconfig that has a relative path itself: give one of the "
                                   "two as an absolute path");
}

KCONTROL_DECL std::optional<error> resolver::take_exec(const kubeconfig_exec& exec) {
    if (exec.command.empty()) return bad("exec.command", "empty: name the program that gives credentials");
    const std::string_view group = "client.authentication.k8s.io/";
    const bool v1 = exec.api_version == std::string(group) + "v1";
    if (!v1 && exec.api_version != std::string(group) + "v1beta1") {
        return bad("exec.apiVersion", "\"" + escape_control(exec.api_version.substr(0, 100)) + "\": only " +
                                          std::string(group) +
                                          "v1 and v1beta1 are known: update the plugin and let it write this anew");
    }
    const std::string& mode = exec.interactive_mode;
    if (v1 && mode.empty()) return bad("exec.interactiveMode", "not set: write Never, IfAvailable or Always");
    if (mode == "Always" && !at_.level.is_trusted()) {
        return bad("exec.interactiveMode",
                   "Always: the plugin of an untrusted kubeconfig gets no terminal: write IfAvailable or Never");
    }
    if (!mode.empty() && mode != "Never" && mode != "IfAvailable" && mode != "Always") {
        return bad("exec.interactiveMode",
                   "\"" + escape_control(mode.substr(0, 100)) + "\": only Never, IfAvailable and Always are possible");
    }
    auto program = program_path(exec.command);
    if (!program) return program.error();
    std::map<std::string, std::string> variables;
    for (const auto& one : exec.env) {
        const bool bad_name =
            one.name.empty() || one.name.find_first_of(std::string_view("=\0", 2)) != std::string::npos;
        if (bad_name) return bad("exec.env", "a variable without a name, or with a '=' in it: give it a name");
        variables[one.name] = std::string(one.value.reveal());
    }
    exec_command command(exec.api_version, std::move(*program));
    command.arguments(exec.args).variables(std::move(variables)).install_hint(exec.install_hint);
    // Whose kubeconfig is not trusted asks the user of this program for nothing. Without a mode: that of v1beta1.
    if (at_.level.is_trusted() && mode != "Never") {
        command.interactive(mode == "Always" ? interactive_mode::always : interactive_mode::if_available);
    }
    if (const auto& only = at_.level.programs()) command.only(*only);
    out_.exec(std::move(command));
    provide_cluster_info_ = exec.provide_cluster_info;
    return std::nullopt;
}

KCONTROL_DECL std::optional<error> resolver::take_user(entry_origin at, const std::string& name,
                                                       const kubeconfig_user& user) {
    at_ = std::move(at);
    trusted_ = trusted_ && at_.level.is_trusted();
    where_ = resolve_place(at_.file, "user", name);
    if (auto refused = refuse_exec(user)) return refused;
    if (auto refused = take_impersonation(user)) return refused;
    if (auto failed = take_certificate(user)) return failed;
    if (auto failed = take_token(user)) return failed;
    // Who gives something else to log in with means that: client-go does not run the plugin then either.
    const bool other = !user.token.empty() || !user.token_file.empty() || !user.username.empty() ||
                       !user.password.empty() || !tls_.client_key_pem().empty();
    if (!user.exec || other) return std::nullopt;
    return take_exec(*user.exec);
}

}  // namespace kcontrol::auth::detail

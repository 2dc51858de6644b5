#pragma once

#include <kcontrol/auth/exec_provider.hpp>
#include <kcontrol/auth/impl/kubeconfig.ipp>
#include <kcontrol/auth/plugin_policy.hpp>
#include <kcontrol/documents/yaml.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::auth {
namespace detail {

inline std::string text_member(const json::value& of, const char* name) {
    const json::value* const found = of.is_object() ? of.as_object().if_contains(name) : nullptr;
    return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
}

inline bool is_preference(const json::value& document) {
    const std::string version = text_member(document, "apiVersion");
    return text_member(document, "kind") == "Preference" &&
           (version == "kubectl.config.k8s.io/v1beta1" || version == "kubectl.config.k8s.io/v1alpha1");
}

// An entry's command; `name` is what it was called before.
inline result<std::string> allowed_command(const json::value& entry, const std::string& where) {
    const std::string command = text_member(entry, "command"), name = text_member(entry, "name");
    const std::string& out = command.empty() ? name : command;
    if (out.empty()) return bad_config(where, "empty: give it a command, such as /usr/local/bin/my-plugin");
    if (!name.empty() && name != out) {
        return bad_config(where, "name \"" + escape_control(name) + "\" and command \"" + escape_control(command) +
                                     "\" differ: leave name out");
    }
    const bool is_clean = out.find("//") == std::string::npos && ("/" + out + "/").find("/./") == std::string::npos &&
                          ("/" + out + "/").find("/../") == std::string::npos && out.back() != '/';
    if (is_clean && (out.front() == '/' || out.find('/') == std::string::npos)) return out;
    return bad_config(where, "\"" + escape_control(out) +
                                 "\" is neither a name nor a normal absolute path: write /usr/local/bin/my-plugin, or "
                                 "my-plugin for a program in $PATH");
}

inline result<std::vector<std::string>> allowed_commands(const json::value* list, const std::string& origin) {
    const std::string where = origin + ": credentialPluginAllowlist";
    if (list == nullptr || !list->is_array() || list->as_array().empty()) {
        return bad_config(where, "the policy Allowlist needs a list of commands; DenyAll allows none");
    }
    std::vector<std::string> out;
    for (const json::value& entry : list->as_array()) {
        auto one = allowed_command(entry, where + "[" + std::to_string(out.size()) + "]");
        if (!one) return one.error();
        out.push_back(std::move(*one));
    }
    return out;
}

}  // namespace detail

KCONTROL_DECL result<plugin_policy> plugin_policy::parse(std::string_view text, const std::string& origin) {
    const auto documents = json::parse_yaml(text);
    if (!documents) return detail::bad_config(origin, "not a kuberc: " + documents.error().message());
    const auto found = std::find_if(documents->begin(), documents->end(), detail::is_preference);
    if (found == documents->end()) {
        return detail::bad_config(origin, "not a kuberc: there is no Preference of kubectl.config.k8s.io/v1beta1");
    }
    const auto& members = found->as_object();
    const json::value* const kind = members.if_contains("credentialPluginPolicy");
    const json::value* const list = members.if_contains("credentialPluginAllowlist");
    const std::string said = detail::text_member(*found, "credentialPluginPolicy");
    plugin_policy out;
    if (said == "Allowlist") {
        auto commands = detail::allowed_commands(list, origin);
        if (!commands) return commands.error();
        out.commands_ = std::move(*commands);
        return out;
    }
    const bool is_known = kind == nullptr || kind->is_null() || (kind->is_string() && said.empty()) ||
                          said == "AllowAll" || said == "DenyAll";
    if (!is_known) {
        return detail::bad_config(
            origin + ": credentialPluginPolicy",
            "\"" + escape_control(said) + "\": only AllowAll, DenyAll and Allowlist are possible");
    }
    if (list != nullptr && !list->is_null()) {
        return detail::bad_config(origin + ": credentialPluginAllowlist",
                                  "it counts for the policy Allowlist alone: write that, or leave the list out");
    }
    if (said == "DenyAll") out.commands_.emplace();
    return out;
}

KCONTROL_DECL result<plugin_policy> plugin_policy::load(environment& env, const std::string& path) {
    const std::string named = path.empty() ? env.variable("KUBERC").value_or("") : path;
    if (path.empty() && (named == "off" || env.variable("KUBECTL_KUBERC").value_or("") == "false")) {
        return plugin_policy();
    }
    const std::string home = env.variable("HOME").value_or("");
    if (named.empty() && home.empty()) return plugin_policy();
    const std::string file = named.empty() ? home + "/.kube/kuberc" : named;
    const auto text = env.read_file(file, kubeconfig::max_bytes);
    if (!text && named.empty() && text.error() == errc::file_failed && detail::is_missing(env, file)) {
        return plugin_policy();
    }
    if (!text) return text.error();
    return parse(*text, file);
}

KCONTROL_DECL std::optional<std::vector<std::string>> plugin_policy::programs(const environment& env) const {
    if (!commands_) return std::nullopt;
    std::vector<std::string> out;
    for (const std::string& command : *commands_) {
        for (auto& path : detail::program_candidates(exec_command({}, command), env)) out.push_back(std::move(path));
    }
    return out;
}

KCONTROL_DECL void plugin_policy::restrict(cluster_config& config, const environment& env) const {
    auto allowed = programs(env);
    if (!allowed || !config.exec()) return;
    exec_command command = *config.exec();
    if (const auto& only = command.only()) {
        std::erase_if(*allowed, [&](const auto& path) { return std::count(only->begin(), only->end(), path) == 0; });
    }
    command.only(std::move(allowed));
    config.exec(std::move(command));
}

}  // namespace kcontrol::auth

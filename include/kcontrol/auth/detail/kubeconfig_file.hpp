// A kubeconfig as it stands in the file: clientcmd's v1.Config, as far as it is understood or refused by name.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/base/secret_string.hpp>
#include <kcontrol/json/reader.hpp>
#include <kcontrol/json/writer.hpp>
#include <kcontrol/model/field.hpp>
#include <kcontrol/values/raw_json.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::auth::detail {

/// A text, and whether it is there: who writes `as: ""` does not mean himself.
struct mention {
    bool there = false;
    std::string text;
    friend bool operator==(const mention&, const mention&) = default;
};

struct kubeconfig_extension {
    std::string name;
    raw_json extension;

    static constexpr auto kcontrol_fields() {
        using self = kubeconfig_extension;
        return fields(field("name", &self::name), field("extension", &self::extension));
    }
};

struct kubeconfig_cluster {
    std::string server;
    std::string ca_file;
    std::string ca_data;
    std::string tls_server_name;
    secret_string proxy_url;
    bool insecure = false;
    bool disable_compression = false;
    std::vector<kubeconfig_extension> extensions;

    static constexpr auto kcontrol_fields() {
        using self = kubeconfig_cluster;
        return fields(field("server", &self::server), field("certificate-authority", &self::ca_file),
                      field("certificate-authority-data", &self::ca_data),
                      field("tls-server-name", &self::tls_server_name), field("proxy-url", &self::proxy_url),
                      field("insecure-skip-tls-verify", &self::insecure),
                      field("disable-compression", &self::disable_compression), field("extensions", &self::extensions));
    }
};

struct kubeconfig_variable {
    std::string name;
    secret_string value;

    static constexpr auto kcontrol_fields() {
        using self = kubeconfig_variable;
        return fields(field("name", &self::name), field("value", &self::value));
    }
};

struct kubeconfig_exec {
    std::string api_version;
    std::string command;
    std::vector<std::string> args;
    std::vector<kubeconfig_variable> env;
    std::string install_hint;
    std::string interactive_mode;
    bool provide_cluster_info = false;

    static constexpr auto kcontrol_fields() {
        using self = kubeconfig_exec;
        return fields(field("apiVersion", &self::api_version), field("command", &self::command),
                      field("args", &self::args), field("env", &self::env), field("installHint", &self::install_hint),
                      field("interactiveMode", &self::interactive_mode),
                      field("provideClusterInfo", &self::provide_cluster_info));
    }
};

struct kubeconfig_auth_provider {
    std::string name;
    static constexpr auto kcontrol_fields() { return fields(field("name", &kubeconfig_auth_provider::name)); }
};

struct kubeconfig_user {
    std::string certificate_file;
    std::string certificate_data;
    std::string key_file;
    secret_string key_data;
    secret_string token;
    std::string token_file;
    std::string username;
    secret_string password;
    std::optional<kubeconfig_exec> exec;
    std::optional<kubeconfig_auth_provider> auth_provider;
    mention as, as_uid;
    std::optional<std::vector<std::string>> as_groups;
    std::optional<std::map<std::string, std::vector<std::string>>> as_user_extra;

    static constexpr auto kcontrol_fields() {
        using self = kubeconfig_user;
        return fields(field("client-certificate", &self::certificate_file),
                      field("client-certificate-data", &self::certificate_data), field("client-key", &self::key_file),
                      field("client-key-data", &self::key_data), field("token", &self::token),
                      field("tokenFile", &self::token_file), field("username", &self::username),
                      field("password", &self::password), field("exec", &self::exec),
                      field("auth-provider", &self::auth_provider), field("as", &self::as),
                      field("as-uid", &self::as_uid), field("as-groups", &self::as_groups),
                      field("as-user-extra", &self::as_user_extra));
    }
};

struct kubeconfig_context {
    std::string cluster;
    std::string user;
    std::string default_namespace;

    static constexpr auto kcontrol_fields() {
        using self = kubeconfig_context;
        return fields(field("cluster", &self::cluster), field("user", &self::user),
                      field("namespace", &self::default_namespace));
    }
};

struct kubeconfig_named_cluster {
    std::string name;
    kubeconfig_cluster cluster;
    static constexpr auto kcontrol_fields() {
        using self = kubeconfig_named_cluster;
        return fields(field("name", &self::name), field("cluster", &self::cluster));
    }
};

struct kubeconfig_named_user {
    std::string name;
    kubeconfig_user user;
    static constexpr auto kcontrol_fields() {
        using self = kubeconfig_named_user;
        return fields(field("name", &self::name), field("user", &self::user));
    }
};

struct kubeconfig_named_context {
    std::string name;
    kubeconfig_context context;
    static constexpr auto kcontrol_fields() {
        using self = kubeconfig_named_context;
        return fields(field("name", &self::name), field("context", &self::context));
    }
};

struct kubeconfig_file {
    std::string api_version;
    std::string kind;
    std::string current_context;
    std::vector<kubeconfig_named_cluster> clusters;
    std::vector<kubeconfig_named_user> users;
    std::vector<kubeconfig_named_context> contexts;

    static constexpr auto kcontrol_fields() {
        using self = kubeconfig_file;
        return fields(field("apiVersion", &self::api_version), field("kind", &self::kind),
                      field("current-context", &self::current_context), field("clusters", &self::clusters),
                      field("users", &self::users), field("contexts", &self::contexts));
    }
};

}  // namespace kcontrol::auth::detail

namespace kcontrol::inline v0_1 {

template <>
struct custom_codec<auth::detail::mention> {
    static result<void> decode(json::node from, auth::detail::mention& out) {
        if (!from.is_string()) return error(errc::decode_failed, "expected a string; put it in quotes");
        out.there = true;
        out.text = std::string(from.as_string());
        return {};
    }
    static void encode(const auth::detail::mention& value, json::writer& to) { to.value(value.text); }
    static bool empty(const auth::detail::mention& value) { return !value.there; }
};

// Its errors don't repeat what was found.
template <>
struct custom_codec<secret_string> {
    static result<void> decode(json::node from, secret_string& out) {
        if (!from.is_string()) return error(errc::decode_failed, "expected a string; put it in quotes");
        out = secret_string(std::string(from.as_string()));
        return {};
    }
    static void encode(const secret_string&, json::writer& to) { to.value("(secret)"); }
    static bool empty(const secret_string& value) { return value.empty(); }
};

}  // namespace kcontrol

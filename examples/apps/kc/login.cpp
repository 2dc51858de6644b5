// How kc reaches its cluster, and as whom: the kubeconfig, and what kubectl's flags say otherwise.
#include <kcontrol/auth/plugin_policy.hpp>

#include "session.hpp"

#include <algorithm>
#include <optional>

namespace kc {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 20;

error bad_flag(std::string_view flag, const std::string& what) {
    return error(errc::invalid_argument, std::string(flag) + ": " + what);
}

// What is not said stays as the kubeconfig has it, each for itself, as with kubectl.
result<void> take_impersonation(const options& said, auth::cluster_config& config) {
    auth::impersonation who = config.impersonate();
    std::string_view needs_user;
    if (said.has("--as")) who.user(said.text("--as"));
    if (said.has("--as-uid")) {
        who.uid(said.text("--as-uid"));
        needs_user = "--as-uid";
    }
    if (said.has("--as-group")) {
        who.groups(said.all("--as-group"));
        needs_user = "--as-group";
    }
    std::map<std::string, std::vector<std::string>> extra;
    for (const auto& one : said.all("--as-user-extra")) {
        const auto equals = one.find('=');
        if (equals == 0 || equals == std::string::npos) {
            return bad_flag("--as-user-extra", "\"" + escape_control(one) + "\": KEY=VALUE is expected");
        }
        extra[one.substr(0, equals)].push_back(one.substr(equals + 1));
        needs_user = "--as-user-extra";
    }
    if (!extra.empty()) who.extra(std::move(extra));
    if (who.empty() && !needs_user.empty()) {
        return bad_flag(needs_user, "there is nobody to act as: give --as USER, too");
    }
    config.impersonate(std::move(who));
    return {};
}

result<std::string> read(environment& env, const options& said, std::string_view flag) {
    auto text = env.read_file(said.text(flag), most_bytes);
    if (!text) return text.error().with_context(std::string(flag));
    return text;
}

result<void> take_authority(environment& env, const options& said, auth::cluster_config& config) {
    if (!said.has("--certificate-authority")) return {};
    if (said.has("--insecure-skip-tls-verify")) {
        return bad_flag("--certificate-authority",
                        "nothing would be verified with --insecure-skip-tls-verify: remove one of the two");
    }
    auto ca = read(env, said, "--certificate-authority");
    if (!ca) return ca.error();
    http::tls_options tls = config.tls();
    auth::tls_files files = config.files();
    config.tls(std::move(tls.ca_pem(std::move(*ca)).insecure(false)));
    config.files(std::move(files.ca(said.text("--certificate-authority"))));
    return {};
}

result<void> take_certificate(environment& env, const options& said, auth::cluster_config& config) {
    if (!said.has("--client-certificate") && !said.has("--client-key")) return {};
    http::tls_options tls = config.tls();
    auth::tls_files files = config.files();
    std::string chain = tls.client_cert_pem();
    std::string key(tls.client_key_pem().reveal());
    if (said.has("--client-certificate")) {
        auto text = read(env, said, "--client-certificate");
        if (!text) return text.error();
        chain = std::move(*text);
        files.certificate(said.text("--client-certificate"));
    }
    if (said.has("--client-key")) {
        auto text = read(env, said, "--client-key");
        if (!text) return text.error();
        key = std::move(*text);
        files.key(said.text("--client-key"));
    }
    if (key.empty()) return bad_flag("--client-certificate", "there is no key for it: give --client-key FILE, too");
    if (chain.empty()) return bad_flag("--client-key", "there is no certificate: give --client-certificate FILE, too");
    tls.client_certificate(std::move(chain), secret_string(std::move(key)));
    config.tls(std::move(tls)).files(std::move(files)).exec(std::nullopt);
    return {};
}

result<void> take_password(const options& said, auth::cluster_config& config) {
    if (!said.has("--username") && !said.has("--password")) return {};
    if (!config.token().empty() || !config.token_file().empty()) {
        return bad_flag(said.has("--username") ? "--username" : "--password",
                        "there is a token, too, and only one of them can be sent: remove one");
    }
    const std::string user = said.has("--username") ? said.text("--username") : config.basic_user();
    const secret_string password =
        said.has("--password") ? secret_string(said.text("--password")) : config.basic_password();
    config.basic(user, password).exec(std::nullopt);
    return {};
}

// "localhost:8080", which kubectl takes for http, too.
std::string with_scheme(const std::string& server) {
    return server.empty() || server.find("://") != std::string::npos ? server : "http://" + server;
}

}  // namespace

result<auth::cluster_config> options::config(environment& env) const {
    auth::kubeconfig_overrides overrides;
    overrides.context(text("--context")).cluster(text("--cluster")).user(text("--user"));
    overrides.default_namespace(text("--namespace")).server(with_scheme(text("--server")));
    overrides.tls_server_name(text("--tls-server-name")).token(secret_string(text("--token")));
    const std::string& insecure = text("--insecure-skip-tls-verify");
    if (!insecure.empty()) overrides.insecure_skip_tls_verify(insecure != "false");
    auto found = auth::find_config(env, auth::config_search().file(text("--kubeconfig")).overrides(overrides));
    if (!found) return found;
    const auto plugins = auth::plugin_policy::load(env, text("--kuberc"));
    if (!plugins) return plugins.error();
    plugins->restrict(*found, env);
    if (has("--disable-compression")) found->disable_compression(true);
    if (auto taken = take_impersonation(*this, *found); !taken) return taken.error();
    // Over plain http nobody logs in and nothing is verified, as with a kubeconfig.
    if (found->server().scheme != "https") return found;
    if (auto taken = take_authority(env, *this, *found); !taken) return taken.error();
    if (auto taken = take_certificate(env, *this, *found); !taken) return taken.error();
    if (auto taken = take_password(*this, *found); !taken) return taken.error();
    return found;
}

}  // namespace kc

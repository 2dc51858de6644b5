#include "guarded_serving/serving_files.hpp"

namespace guarded_serving {
namespace {

constexpr std::size_t max_bytes = std::size_t{1} << 20;

kcontrol::result<std::string> read(kcontrol::environment& env, std::string_view flag, const std::string& path) {
    auto text = env.read_file(path, max_bytes);
    if (!text) return text.error().with_context(std::string(flag));
    if (text->empty()) {
        return kcontrol::error(kcontrol::errc::invalid_config, std::string(flag) + ": " + path + " is empty");
    }
    return text;
}

}  // namespace

kcontrol::result<serving_secrets> read_serving_files(kcontrol::environment& env, const access_options& o) {
    serving_secrets out;
    if (o.tls()) {
        auto chain = read(env, "--tls-cert-file", o.tls_cert_file());
        if (!chain) return chain.error();
        auto key = read(env, "--tls-private-key-file", o.tls_key_file());
        if (!key) return key.error();
        out.tls.emplace(std::move(*chain), kcontrol::secret_string(std::move(*key)));
        if (!o.client_ca_file().empty()) {
            auto authorities = read(env, "--client-ca-file", o.client_ca_file());
            if (!authorities) return authorities.error();
            out.tls->client_ca_pem(std::move(*authorities));
            // A client may come without: the kubelet's probes do, and a token opens too. The gate decides.
        }
    }
    if (!o.token_file().empty()) {
        const auto text = read(env, "--token-file", o.token_file());
        if (!text) return text.error();
        auto tokens = bearer_tokens::parse(*text);
        if (!tokens) return tokens.error().with_context("--token-file: " + o.token_file());
        out.tokens = std::move(*tokens);
    }
    return out;
}

}  // namespace guarded_serving

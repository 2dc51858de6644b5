#include "testing/kubeconfig_text.hpp"

#include <cstdint>

namespace kcontrol::inline v0_1::testing::detail {

namespace {

std::string in_url(const std::string& host) { return host.find(':') == std::string::npos ? host : "[" + host + "]"; }

}  // namespace

std::string base64(std::string_view bytes) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    std::uint32_t bits = 0;
    int have = 0;
    for (const char c : bytes) {
        bits = (bits << 8) | static_cast<unsigned char>(c);
        for (have += 8; have >= 6; have -= 6) out.push_back(digits[(bits >> (have - 6)) & 63]);
    }
    if (have > 0) out.push_back(digits[(bits << (6 - have)) & 63]);
    while (out.size() % 4 != 0) out.push_back('=');
    return out;
}

std::string kubeconfig_text(const auth::cluster_config& config, const std::string& name, const std::string& user) {
    std::string text = "apiVersion: v1\nkind: Config\nclusters:\n- name: " + name +
                       "\n  cluster:\n    server: " + config.server().scheme + "://" + in_url(config.server().host) +
                       ":" + std::to_string(config.server().port) + "\n";
    if (!config.tls().ca_pem().empty())
        text += "    certificate-authority-data: " + base64(config.tls().ca_pem()) + "\n";
    text += "users:\n- name: " + name + "\n  user: " + user + "\n";
    return text + "contexts:\n- name: " + name + "\n  context: {cluster: " + name + ", user: " + name +
           ", namespace: default}\ncurrent-context: " + name + "\n";
}

}  // namespace kcontrol::testing::detail

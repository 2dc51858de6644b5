#pragma once

#include <kcontrol/auth/cluster_config.hpp>

namespace kcontrol::inline v0_1::auth {

KCONTROL_DECL std::string cluster_config::server_url() const {
    const bool ipv6 = server_.host.find(':') != std::string::npos;
    const std::string host = ipv6 ? "[" + server_.host + "]" : server_.host;
    return server_.scheme + "://" + host + ":" + std::to_string(server_.port) + base_path_;
}

KCONTROL_DECL bool cluster_config::has_login() const noexcept {
    return !token_.empty() || !token_file_.empty() || !tls_.client_key_pem().empty() || !user_.empty() ||
           !password_.empty() || exec_.has_value() || provider_ != nullptr;
}

}  // namespace kcontrol::auth

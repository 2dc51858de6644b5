#pragma once

#include <kcontrol/auth/cluster_config.hpp>

namespace kcontrol::auth {

KCONTROL_DECL std::string cluster_config::server_url() const {
    const bool ipv6 = server_.host.find(':') != std::string::npos;
    const std::string host = ipv6 ? "[" + server_.host + "]" : server_.host;
    return server_.scheme + "://" + host + ":" + std::to_string(server_.port) + base_path_;
}

}  // namespace kcontrol::auth

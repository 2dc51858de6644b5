#pragma once

#include <kcontrol/auth/cluster_config.hpp>

namespace kcontrol::auth {

KCONTROL_DECL std::string cluster_config::server_url() const {
    const bool ipv6 = server.host.find(':') != std::string::npos;
    const std::string host = ipv6 ? "[" + server.host + "]" : server.host;
    return server.scheme + "://" + host + ":" + std::to_string(server.port) + base_path;
}

}  // namespace kcontrol::auth

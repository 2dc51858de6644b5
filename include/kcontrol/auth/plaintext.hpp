// The rule that credentials don't travel over plain http, but to this machine itself.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/base/error.hpp>
#include <kcontrol/http/loopback.hpp>

#include <optional>

namespace kcontrol::inline v0_1::auth::detail {

/// invalid_config if the config would send credentials in clear over a network.
inline std::optional<error> refuse_plaintext(const cluster_config& config) {
    if (config.server().scheme == "https" || http::is_loopback(config.server().host)) return std::nullopt;
    if (!config.has_login()) return std::nullopt;
    return error(errc::invalid_config, "server " + config.server_url() +
                                           " is plain http, where credentials would travel in clear: use https, "
                                           "or remove the user");
}

}  // namespace kcontrol::auth::detail

// The text of a kubeconfig file that leads to a server for tests.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::testing::detail {

/// RFC 4648 §4, with padding: what the -data fields of a kubeconfig hold.
std::string base64(std::string_view bytes);

/// `name`: of context, cluster and user; `user`: what the file says of the user, as YAML.
std::string kubeconfig_text(const auth::cluster_config& config, const std::string& name, const std::string& user);

}  // namespace kcontrol::testing::detail

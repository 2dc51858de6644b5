#pragma once

#include <kcontrol/testing/sim_server.hpp>

#include <boost/asio/strand.hpp>

#include <utility>

namespace kcontrol::testing {

KCONTROL_DECL sim_server::sim_server(sim_context& context, environment& env, sim_network& network, std::string name,
                                     api_server_options options)
    : name_(std::move(name)), api_(env, asio::make_strand(context.get_executor()), std::move(options)) {
    network.listen(name_, api_.get_executor(), api_.handler());
}

KCONTROL_DECL auth::cluster_config sim_server::config(const std::string& token) const {
    auth::cluster_config config;
    config.server(http::endpoint("https", name_, 443));
    config.token(secret_string(token));
    return config;
}

}  // namespace kcontrol::testing

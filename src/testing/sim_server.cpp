#include <kcontrol/testing/sim_server.hpp>

#include <boost/asio/strand.hpp>

#include <utility>

namespace kcontrol::inline v0_1::testing {

namespace detail {
namespace {

// Webhooks are called over the network that the server is on.
api_server_options with_webhooks(api_server_options options, http::transport_factory factory) {
    if (!options.webhook_transport()) options.webhook_transport(std::move(factory));
    return options;
}

}  // namespace
}  // namespace detail

sim_server::sim_server(sim_context& context, environment& env, sim_network& network, std::string name,
                       api_server_options options)
    : name_(std::move(name)),
      api_(env, asio::make_strand(context.get_executor()),
           detail::with_webhooks(std::move(options), network.factory())) {
    network.listen(name_, api_.get_executor(), api_.handler());
}

auth::cluster_config sim_server::config(const std::string& token) const {
    auth::cluster_config config;
    config.server(http::endpoint("https", name_, 443));
    config.token(secret_string(token));
    return config;
}

}  // namespace kcontrol::testing

#include <kcontrol/testing/sim_world.hpp>

#include <boost/asio/strand.hpp>

#include <exception>
#include <utility>

namespace kcontrol::inline v0_1::testing {

sim_world::sim_world(std::uint64_t seed)
    : context_(seed), env_(context_), network_(context_, env_), executor_(asio::make_strand(context_.get_executor())) {}

sim_world::~sim_world() = default;

void sim_world::register_resource(const resource_type& type) {
    types_.push_back(type);
    for (const auto& [name, server] : servers_) server->api().register_resource(type);
}

sim_server& sim_world::add_server(const std::string& name, const api_server_options& options) {
    auto& slot = servers_[name];
    if (slot != nullptr) return *slot;
    slot = std::make_unique<sim_server>(context_, env_, network_, name, options);
    for (const auto& type : types_) slot->api().register_resource(type);
    return *slot;
}

result<client> sim_world::connect(const auth::cluster_config& config) {
    return client::connect(env_, executor_, config, network_.factory());
}

client sim_world::connect(const sim_server& server) { return connect(server.config()).value(); }

bool sim_world::ends_within(duration limit, awaitable<void> work) {
    const auto started = detail::spawn(executor_, detail::as_value(std::move(work)));
    const bool ended = context_.run_until([&started] { return started->done; }, context_.now() + limit);
    if (started->failure) std::rethrow_exception(started->failure);
    return ended;
}

bool sim_world::run_until(const std::function<bool()>& done, duration limit) {
    return context_.run_until(done, context_.now() + limit);
}

}  // namespace kcontrol::testing

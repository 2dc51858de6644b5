// A simulated world with API servers in it, for tests of what stands on a client: informers, controllers, clusters.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/api_server.hpp>
#include <kcontrol/testing/sim_network.hpp>

#include "simulation/widget.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/strand.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace kcontrol::test {

inline const testing::group_resource widgets{"test.kcontrol.dev", "widgets"};

inline testing::resource_type widget_type() { return {"test.kcontrol.dev", "v1", "Widget", "widgets"}; }

/// One API server on the simulated network, with a kind "Widget".
class sim_server {
public:
    sim_server(testing::sim_context& context, environment& env, testing::sim_network& network, std::string name)
        : name_(std::move(name)), strand_(asio::make_strand(context.get_executor())), api(env, strand_, options()) {
        api.register_resource(widget_type());
        network.listen(name_, strand_, api.handler());
    }

    auth::cluster_config config(std::string token = {}) const {
        auth::cluster_config c;
        c.server(http::endpoint("https", name_, 443));
        c.token(secret_string(std::move(token)));
        return c;
    }

    void create(const std::string& name, std::int64_t value = 0, const std::string& ns = "default") {
        (void)api
            .create({{"apiVersion", "test.kcontrol.dev/v1"},
                     {"kind", "Widget"},
                     {"metadata", {{"name", name}, {"namespace", ns}}},
                     {"spec", {{"value", value}}}})
            .value();
    }
    void set_value(const std::string& name, std::int64_t value) {
        (void)api.patch(widgets, {"default", name}, {{"spec", {{"value", value}}}}).value();
    }
    void remove(const std::string& name) { (void)api.remove(widgets, {"default", name}); }

    std::size_t lists() { return api.request_log().count("list", "widgets"); }
    std::size_t watches() { return api.request_log().count("watch", "widgets"); }

private:
    static testing::api_server_options options() {
        testing::api_server_options o;
        o.bookmark_period(std::chrono::seconds(20));
        return o;
    }

    std::string name_;
    executor strand_;

public:
    testing::api_server api;
};

class sim_world {
public:
    explicit sim_world(std::uint64_t seed = 1) : context(seed), env(context), network(context, env) {}

    /// The server of that name, made on first use.
    sim_server& add(const std::string& name) {
        if (const auto known = servers_.find(name); known != servers_.end()) return *known->second;
        return *servers_.emplace(name, std::make_unique<sim_server>(context, env, network, name)).first->second;
    }

    client connect(const auth::cluster_config& config) {
        return client::connect(env, home, config, network.factory()).value();
    }

    /// Runs a coroutine to its end within `limit` of virtual time.
    template <class T>
    T run(awaitable<T> work, duration limit = std::chrono::hours(1)) {
        std::optional<T> out;
        asio::co_spawn(home, std::move(work), [&](std::exception_ptr failure, T value) {
            if (failure) std::rethrow_exception(failure);
            out.emplace(std::move(value));
        });
        context.run_until([&] { return out.has_value(); }, env.now() + limit);
        return std::move(out).value();
    }

    /// True if the coroutine ended within `limit` of virtual time.
    bool run_void(awaitable<void> work, duration limit) {
        bool done = false;
        asio::co_spawn(home, std::move(work), [&](std::exception_ptr failure) {
            if (failure) std::rethrow_exception(failure);
            done = true;
        });
        return context.run_until([&] { return done; }, env.now() + limit);
    }

    testing::sim_context context;
    testing::sim_environment env;
    testing::sim_network network;
    executor home = asio::make_strand(context.get_executor());

private:
    std::map<std::string, std::unique_ptr<sim_server>> servers_;
};

}  // namespace kcontrol::test

// A simulated world whose servers hold widgets.
#pragma once

#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "simulation/widget.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace kcontrol::test {

/// The same kind under another version, as MPIJob has two.
struct widget_v2 : widget {
    static constexpr resource_name kcontrol_resource{"test.kcontrol.dev", "v2", "Widget", "widgets"};
};

/// Another kind, which looks the same.
struct gadget : widget {
    static constexpr resource_name kcontrol_resource{"test.kcontrol.dev", "v1", "Gadget", "gadgets"};
};

inline const testing::group_resource widgets{"test.kcontrol.dev", "widgets"};

inline testing::resource_type widget_type() { return testing::resource_type_of(resource_of<widget>()); }

/// A server and what tests do with its widgets.
class widget_server {
public:
    explicit widget_server(testing::sim_server& server) : api(server.api()), server_(server) {}

    auth::cluster_config config(const std::string& token = {}) const { return server_.config(token); }

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

    /// Those that were streamed are lists as well as watches.
    std::size_t lists() { return api.request_log().count("list", "widgets") + streams(); }
    std::size_t watches() { return api.request_log().count("watch", "widgets"); }
    std::size_t streams() {
        const auto& all = api.request_log().requests();
        return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const auto& one) {
            return one.resource.resource == "widgets" && one.target.find("sendInitialEvents") != std::string::npos;
        }));
    }

    testing::api_server& api;

private:
    testing::sim_server& server_;
};

class widget_world {
public:
    explicit widget_world(std::uint64_t seed = 1) : world(seed) { world.register_resource(widget_type()); }

    /// The server of that name, made on first use.
    widget_server& add(const std::string& name, testing::api_server_options options = {}) {
        options.bookmark_period(std::chrono::seconds(20));
        return servers_.try_emplace(name, world.add_server(name, options)).first->second;
    }

    client connect(const auth::cluster_config& config) { return world.connect(config).value(); }

    template <class T>
    T run(awaitable<T> work, duration limit = std::chrono::hours(1)) {
        return world.run(std::move(work), limit);
    }
    template <class T>
    bool ends_within(duration limit, awaitable<T> work) {
        return world.ends_within(limit, std::move(work));
    }

    testing::sim_world world;
    testing::sim_context& context = world.context();
    testing::sim_environment& env = world.env();
    testing::sim_network& network = world.network();
    executor home = world.get_executor();

private:
    std::map<std::string, widget_server> servers_;
};

}  // namespace kcontrol::test
